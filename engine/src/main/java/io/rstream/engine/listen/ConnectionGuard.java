package io.rstream.engine.listen;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches a connection until its TLS handshake is through: it has to come in time, and it has to be TLS. Plain HTTP gets one
 * sentence, anything else nothing. Removed after the handshake.
 */
final class ConnectionGuard extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(ConnectionGuard.class);
    private static final int TLS_HANDSHAKE = 22;
    private static final String PLAIN_HTTP = """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: 40\r
            Connection: close\r
            \r
            This port speaks TLS; use https instead
            """;

    private final Duration limit;
    private @Nullable Future<?> deadline;
    private boolean seen;

    ConnectionGuard(Duration limit) {
        this.limit = limit;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline = ctx.executor()
                .schedule(() -> close(ctx, "no TLS handshake in time"), limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (seen || !(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            ctx.fireChannelRead(message);
            return;
        }
        seen = true;
        int first = bytes.getUnsignedByte(bytes.readerIndex());
        if (first == TLS_HANDSHAKE) {
            ctx.fireChannelRead(message);
            return;
        }
        ReferenceCountUtil.release(message);
        ctx.channel().config().setAutoRead(false);
        if (first >= 'A' && first <= 'Z') {
            log(ctx, "plain HTTP on the TLS port");
            ctx.writeAndFlush(ByteBufUtil.encodeString(
                            ctx.alloc(), java.nio.CharBuffer.wrap(PLAIN_HTTP), StandardCharsets.US_ASCII))
                    .addListener(ChannelFutureListener.CLOSE);
        } else {
            close(ctx, "not TLS");
        }
    }

    private static void close(ChannelHandlerContext ctx, String reason) {
        log(ctx, reason);
        var _ = ctx.close();
    }

    private static void log(ChannelHandlerContext ctx, String reason) {
        log.atDebug()
                .addKeyValue("remote", ctx.channel().remoteAddress())
                .addKeyValue("reason", reason)
                .log("Connection closed before TLS");
    }
}
