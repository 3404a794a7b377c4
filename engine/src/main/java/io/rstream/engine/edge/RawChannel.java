package io.rstream.engine.edge;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Holds the bytes that are left over when an HTTP codec leaves a pipeline, until the relay behind it is in place
 * (RFC 9110, section 7.8: the first bytes of the new protocol may come together with the 101).
 */
final class RawChannel extends ChannelInboundHandlerAdapter {
    private static final String NAME = "early-bytes";

    private final Queue<Object> held = new ArrayDeque<>();

    private RawChannel() {}

    /** Appends the handler; then the caller takes the codec out. On the channel's event loop. */
    static void hold(ChannelPipeline pipeline, Iterable<?> early) {
        RawChannel handler = new RawChannel();
        early.forEach(handler.held::add);
        pipeline.addLast(NAME, handler);
    }

    /** Lets the bytes go to what was appended in the meantime. From any thread. */
    static void release(Channel channel) {
        channel.eventLoop().execute(() -> {
            if (channel.pipeline().get(NAME) != null) {
                channel.pipeline().remove(NAME);
            }
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        held.add(message);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        boolean any = !held.isEmpty();
        for (Object message = held.poll(); message != null; message = held.poll()) {
            if (ctx.channel().isActive()) {
                ctx.fireChannelRead(message);
            } else {
                ReferenceCountUtil.release(message);
            }
        }
        if (any) {
            ctx.fireChannelReadComplete();
        }
    }
}
