package io.rstream.protocol;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what a channel delivers until somebody can take it, and hands it on in order when it is removed. The end of the
 * input passes at once: it can be asked for later ({@link HalfClose#inputEnd(io.netty.channel.Channel)}).
 */
final class HeldBytes extends ChannelInboundHandlerAdapter {
    private final Queue<Object> held = new ArrayDeque<>();
    private @Nullable Throwable failure;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        held.add(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (!ctx.channel().isActive()) {
            // Nobody can be behind us any more when the channel closed and its pipeline is taken down.
            held.forEach(ReferenceCountUtil::release);
            held.clear();
            return;
        }
        boolean any = !held.isEmpty();
        for (Object message = held.poll(); message != null; message = held.poll()) {
            ctx.fireChannelRead(message);
        }
        if (any) {
            ctx.fireChannelReadComplete();
        }
        if (failure != null) {
            ctx.fireExceptionCaught(failure);
        }
    }
}
