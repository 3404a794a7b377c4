package io.rstream.engine.edge;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.rstream.protocol.HalfClose;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends the output at once and the connection a little later. Closing it while the caller still sends would reset it, and the
 * caller might lose the answer (RFC 9112, section 9.6). What comes in the meantime is thrown away undecrypted.
 */
final class LingeringClose extends ChannelInboundHandlerAdapter {
    private static final int MOST_DISCARDED = 1024 * 1024;
    private static final int LONGEST_SECONDS = 2;

    private int discarded;
    private @Nullable Future<?> deadline;

    private LingeringClose() {}

    /** Sends what is queued and the end of TLS, then takes the pipeline over. On the event loop. */
    static void begin(Channel channel) {
        HalfClose.shutdownOutput(channel).addListener(_ -> {
            ChannelPipeline pipeline = channel.pipeline();
            if (!channel.isActive()) {
                return;
            }
            while (pipeline.last() != null) {
                pipeline.removeLast();
            }
            pipeline.addLast("lingering-close", new LingeringClose());
        });
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline = ctx.executor().schedule(() -> close(ctx), LONGEST_SECONDS, TimeUnit.SECONDS);
        if (ctx.channel() instanceof DuplexChannel duplex) {
            var _ = duplex.shutdownOutput();
        }
        ctx.read();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            discarded += bytes.readableBytes();
        }
        ReferenceCountUtil.release(message);
        if (discarded > MOST_DISCARDED) {
            close(ctx);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.read();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        close(ctx);
    }

    private static void close(ChannelHandlerContext ctx) {
        var _ = ctx.close();
    }
}
