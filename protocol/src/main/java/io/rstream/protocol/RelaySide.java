package io.rstream.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The handler at the end of one channel of a {@link ByteRelay}: reads this channel into the other one. Callbacks run on
 * this channel's event loop; what the other side or the relay calls is thread-safe.
 */
final class RelaySide extends ChannelInboundHandlerAdapter {
    private final ByteRelay relay;
    private final Channel channel;
    /** True while this side would read on but the other one takes no bytes. */
    private final AtomicBoolean waiting = new AtomicBoolean();

    private final ChannelFutureListener failedWrite = this::onWritten;
    private @Nullable RelaySide other;
    private boolean inputEnded;
    // Written by this event loop only; read by others.
    private final AtomicLong bytesRead = new AtomicLong();
    private volatile long lastReadNanos;

    RelaySide(ByteRelay relay, Channel channel) {
        this.relay = relay;
        this.channel = channel;
        this.lastReadNanos = channel.eventLoop().ticker().nanoTime();
    }

    /** Starts reading; to be called once. */
    void install(RelaySide otherSide) {
        this.other = otherSide;
        channel.config().setAutoRead(false);
        channel.eventLoop().execute(() -> {
            if (channel.isActive()) {
                channel.pipeline().addLast("rstream-relay", this);
            } else {
                relay.aborted(this, new ClosedChannelException());
            }
        });
    }

    long bytesRead() {
        return bytesRead.get();
    }

    long lastReadNanos() {
        return lastReadNanos;
    }

    void close() {
        var _ = channel.close();
    }

    void whenClosed(Runnable action) {
        channel.closeFuture().addListener(_ -> action.run());
    }

    /** Delivers what was written so far, for at most {@code limit}, then closes. */
    void closeAfterLastWrite(Duration limit) {
        Future<?> deadline = channel.eventLoop().schedule(this::close, limit.toMillis(), TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(_ -> deadline.cancel(false));
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        WirePipeline.release(ctx.pipeline());
        endInput(HalfClose.inputEnd(channel));
        // The other side may have waited for us before our writability events could be seen.
        channelWritabilityChanged(ctx);
        readOrWait();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (relay.hasEnded() || !(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
            return;
        }
        bytesRead.addAndGet(bytes.readableBytes());
        lastReadNanos = ctx.executor().ticker().nanoTime();
        target().write(bytes).addListener(failedWrite);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        target().flush();
        readOrWait();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel.isWritable()) {
            otherSide().readIfWaiting();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        endInput(HalfClose.inputEnd(channel, event));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        relay.aborted(this, cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        relay.aborted(this, new ClosedChannelException());
    }

    private void endInput(HalfClose.InputEnd end) {
        if (inputEnded || end == HalfClose.InputEnd.OPEN) {
            return;
        }
        inputEnded = true;
        if (end == HalfClose.InputEnd.TRUNCATED) {
            relay.aborted(this, new SSLException("TCP ended without the close_notify of TLS"));
            return;
        }
        HalfClose.shutdownOutput(target()).addListener((ChannelFuture shutdown) -> {
            if (shutdown.isSuccess()) {
                relay.directionFinished();
            } else {
                relay.aborted(otherSide(), shutdown.cause());
            }
        });
    }

    private void readOrWait() {
        if (inputEnded) {
            // Nothing but the end of TCP can follow a close_notify, and a reset should not go unnoticed.
            if (channel.pipeline().get(SslHandler.class) != null) {
                channel.read();
            }
            return;
        }
        // Waiting is announced before the look at the target, so that a target that becomes writable in between sees
        // it.
        waiting.set(true);
        if (target().isWritable()) {
            readIfWaiting();
        }
    }

    private void readIfWaiting() {
        if (waiting.compareAndSet(true, false)) {
            channel.read();
        }
    }

    private void onWritten(ChannelFuture written) {
        if (!written.isSuccess()) {
            relay.aborted(otherSide(), written.cause());
        }
    }

    private Channel target() {
        return otherSide().channel;
    }

    private RelaySide otherSide() {
        return Objects.requireNonNull(other, "install comes first");
    }
}
