package io.rstream.protocol;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;

/**
 * The end of one direction of a connection, the same for plain sockets (TCP FIN) and for TLS (close_notify, while TCP stays
 * open); see rstream protocol, section 13. Channels need {@code ChannelOption.ALLOW_HALF_CLOSURE}, TLS ones too.
 */
public final class HalfClose {

    /** What is known about the input of a channel. */
    public enum InputEnd {
        /** More may come. */
        OPEN,
        /** The peer has said that nothing more will come. */
        ORDERLY,
        /** TCP ended without the close_notify that TLS asks for: something may be missing (RFC 8446, section 6.1). */
        TRUNCATED
    }

    private HalfClose() {}

    /**
     * Ends the output after everything that was written before; the input stays open. Thread-safe. The future fails when
     * the bytes written before cannot be delivered; the caller then closes the channel.
     */
    public static ChannelFuture shutdownOutput(Channel channel) {
        ChannelPromise done = channel.newPromise();
        // Both kinds of shutdown throw queued bytes away, so they have to wait for the flush.
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> {
            if (flushed.isSuccess()) {
                var _ = shutdownFlushedOutput(channel, done);
            } else {
                done.tryFailure(flushed.cause());
            }
        });
        return done;
    }

    /**
     * What a user event says about the input. An event that says nothing about it, or repeats what was said before, gives
     * {@link InputEnd#OPEN}. Call on the event loop.
     */
    public static InputEnd inputEnd(Channel channel, Object userEvent) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return switch (userEvent) {
            case SslCloseCompletionEvent closed when closed.isSuccess() -> InputEnd.ORDERLY;
            case ChannelInputShutdownEvent _ when tls == null -> InputEnd.ORDERLY;
            case ChannelInputShutdownEvent _ when !tls.sslCloseFuture().isSuccess() -> InputEnd.TRUNCATED;
            default -> InputEnd.OPEN;
        };
    }

    /** The state of the input for somebody who comes too late for the events. Call on the event loop. */
    public static InputEnd inputEnd(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null && tls.sslCloseFuture().isSuccess()) {
            return InputEnd.ORDERLY;
        }
        boolean shutdown = channel instanceof DuplexChannel duplex && duplex.isInputShutdown();
        if (!shutdown) {
            return InputEnd.OPEN;
        }
        return tls == null ? InputEnd.ORDERLY : InputEnd.TRUNCATED;
    }

    private static ChannelFuture shutdownFlushedOutput(Channel channel, ChannelPromise done) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null) {
            return tls.closeOutbound(done);
        }
        return channel instanceof DuplexChannel duplex ? duplex.shutdownOutput(done) : channel.close(done);
    }
}
