package io.rstream.protocol;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.protocol.RelayOutcome.Reason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Joins two raw channels, plain or TLS, that may live on different event loops: bytes with back-pressure, half-close both
 * ways, one outcome (rstream protocol, section 13). It takes the channels over and closes both in the end.
 *
 * <pre>
 *   running --both directions ended in order--> COMPLETED    close both
 *   running --a side breaks-------------------> *_ABORTED    close it; the other gets what was read, then is closed
 *   running --nothing arrives-----------------> IDLE         close both
 * </pre>
 *
 * A side is read only while the other one takes bytes, so that each direction holds no more than one read above the write
 * buffer's high-water mark of its target. Thread-safe.
 */
public final class ByteRelay {
    /** How long the surviving side may take to accept what was read before the other side broke. */
    private static final Duration LAST_WRITE = Duration.ofSeconds(5);

    private final RelaySide first;
    private final RelaySide second;
    private final EventLoop loop;
    private final Promise<RelayOutcome> outcome;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger finishedDirections = new AtomicInteger();
    private volatile @Nullable Future<?> idleTimer;

    private ByteRelay(Channel first, Channel second) {
        this.first = new RelaySide(this, first);
        this.second = new RelaySide(this, second);
        this.loop = first.eventLoop();
        this.outcome = loop.newPromise();
    }

    /** Joins without limits; see {@link #join(Channel, Channel, RelayLimits)}. */
    public static Future<RelayOutcome> join(Channel first, Channel second) {
        return join(first, second, RelayLimits.NONE);
    }

    /**
     * Joins both channels from now on. They must have {@code ALLOW_HALF_CLOSURE} where the transport knows it, auto-read
     * off, and nothing in their pipelines but TLS and what {@link WirePipeline#hold} left. Bytes held there go first. A TLS
     * channel has to be held from its start, since TLS reads unasked after the handshake.
     *
     * @return completes exactly once, when both channels are closed, and never fails
     */
    public static Future<RelayOutcome> join(Channel first, Channel second, RelayLimits limits) {
        ByteRelay relay = new ByteRelay(first, second);
        relay.first.install(relay.second);
        relay.second.install(relay.first);
        Duration idleTimeout = limits.idleTimeout();
        if (idleTimeout != null) {
            relay.closeWhenIdle(idleTimeout.toNanos());
        }
        return relay.outcome;
    }

    boolean hasEnded() {
        return ended.get();
    }

    /** The end of one direction was passed on in order. */
    void directionFinished() {
        if (finishedDirections.incrementAndGet() == 2 && ended.compareAndSet(false, true)) {
            completeWhenClosed(Reason.COMPLETED, null);
            first.close();
            second.close();
        }
    }

    /** A channel broke; only the first report counts. */
    void aborted(RelaySide side, Throwable cause) {
        if (ended.compareAndSet(false, true)) {
            completeWhenClosed(side == first ? Reason.FIRST_ABORTED : Reason.SECOND_ABORTED, cause);
            side.close();
            (side == first ? second : first).closeAfterLastWrite(LAST_WRITE);
        }
    }

    private void closeWhenIdle(long timeoutNanos) {
        long lastRead = Math.max(first.lastReadNanos(), second.lastReadNanos());
        long remaining = lastRead + timeoutNanos - loop.ticker().nanoTime();
        if (remaining > 0) {
            idleTimer = loop.schedule(() -> closeWhenIdle(timeoutNanos), remaining, TimeUnit.NANOSECONDS);
            if (hasEnded()) {
                cancelIdleTimer();
            }
        } else if (ended.compareAndSet(false, true)) {
            completeWhenClosed(Reason.IDLE, null);
            first.close();
            second.close();
        }
    }

    private void cancelIdleTimer() {
        Future<?> timer = idleTimer;
        if (timer != null) {
            timer.cancel(false);
        }
    }

    private void completeWhenClosed(Reason reason, @Nullable Throwable cause) {
        cancelIdleTimer();
        AtomicInteger open = new AtomicInteger(2);
        Runnable closed = () -> {
            if (open.decrementAndGet() == 0) {
                outcome.setSuccess(new RelayOutcome(reason, first.bytesRead(), second.bytesRead(), cause));
            }
        };
        first.whenClosed(closed);
        second.whenClosed(closed);
    }
}
