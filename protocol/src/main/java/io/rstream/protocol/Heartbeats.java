package io.rstream.protocol;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Liveness of a control channel (rstream protocol, section 10.2). Goes behind the codec of an open channel: it sends and
 * consumes {@link Message.Heartbeat} and passes everything else on. A silent peer, or one that breaks the rules, gives one
 * {@link LivenessException} in {@code exceptionCaught}; the owner closes the channel.
 */
public final class Heartbeats extends ChannelInboundHandlerAdapter {
    // The peer of a client without liveness does not answer, so only a stuck write tells that it is gone.
    private static final int LEGACY_MINIMUM_WRITE_MILLIS = 60_000;
    private static final int LEGACY_WRITE_INTERVALS = 3;

    private enum Role {
        BOUNDED_CLIENT,
        LEGACY_CLIENT,
        BOUNDED_SERVER,
        LEGACY_SERVER
    }

    private final Role role;
    private final long intervalNanos;
    private final long timeoutNanos;

    // All state belongs to the channel's event loop.
    private long sent;
    private long acknowledged;
    private long lastReadNanos;
    private long oldestPendingWriteNanos;
    private int pendingWrites;
    private boolean failed;
    private @Nullable Future<?> beat;
    private @Nullable Future<?> deadline;

    private Heartbeats(Role role, long intervalMillis, long timeoutMillis) {
        this.role = role;
        this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMillis);
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /**
     * The client's half: bounded when the engine answered with a liveness, legacy when it left it out.
     *
     * @param requestedIntervalMillis what the client asked for, 1000 to 300000
     * @param answer what {@link Message.OpenControlChannelAccepted} carries
     * @throws LivenessException when the answer does not fit the request
     */
    public static Heartbeats client(int requestedIntervalMillis, @Nullable Liveness answer) throws LivenessException {
        if (answer == null) {
            long writeMillis = Math.min(
                    Math.max((long) LEGACY_WRITE_INTERVALS * requestedIntervalMillis, LEGACY_MINIMUM_WRITE_MILLIS),
                    Liveness.MAXIMUM_TIMEOUT_MILLIS);
            return new Heartbeats(Role.LEGACY_CLIENT, requestedIntervalMillis, writeMillis);
        }
        if (!answer.answers(requestedIntervalMillis)) {
            throw new LivenessException(
                    "engine answered with heartbeat interval %d ms and time-out %d ms to a request for %d ms"
                            .formatted(answer.intervalMillis(), answer.timeoutMillis(), requestedIntervalMillis));
        }
        return new Heartbeats(Role.BOUNDED_CLIENT, answer.intervalMillis(), answer.timeoutMillis());
    }

    /**
     * The engine's half.
     *
     * @param inForce what the engine answered with, or null when it left liveness out: heartbeats are then ignored and
     *     silence is not noticed
     */
    public static Heartbeats server(@Nullable Liveness inForce) {
        return inForce == null
                ? new Heartbeats(Role.LEGACY_SERVER, 0, 0)
                : new Heartbeats(Role.BOUNDED_SERVER, inForce.intervalMillis(), inForce.timeoutMillis());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        lastReadNanos = ctx.executor().ticker().nanoTime();
        switch (role) {
            case BOUNDED_CLIENT -> {
                beat(ctx);
                checkSilenceIn(ctx, timeoutNanos);
            }
            case LEGACY_CLIENT -> scheduleBeat(ctx);
            case BOUNDED_SERVER -> checkSilenceIn(ctx, timeoutNanos);
            case LEGACY_SERVER -> {
                // Nothing is sent and nothing is awaited.
            }
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        stop();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stop();
        ctx.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        lastReadNanos = ctx.executor().ticker().nanoTime();
        if (!(message instanceof Message.Heartbeat heartbeat)) {
            ctx.fireChannelRead(message);
            return;
        }
        switch (role) {
            case BOUNDED_CLIENT -> checkAcknowledgement(ctx, heartbeat);
            case LEGACY_CLIENT -> checkEmpty(ctx, heartbeat);
            case BOUNDED_SERVER -> acknowledge(ctx, heartbeat);
            case LEGACY_SERVER -> {
                // Old clients send them unasked.
            }
        }
    }

    private void checkAcknowledgement(ChannelHandlerContext ctx, Message.Heartbeat heartbeat) {
        boolean newer = Long.compareUnsigned(heartbeat.acknowledgement(), acknowledged) > 0;
        boolean known = Long.compareUnsigned(heartbeat.acknowledgement(), sent) <= 0;
        if (heartbeat.sequence() == 0 && newer && known) {
            acknowledged = heartbeat.acknowledgement();
        } else {
            fail(
                    ctx,
                    "engine sent %s after acknowledgement %d and sequence %d".formatted(heartbeat, acknowledged, sent));
        }
    }

    private void checkEmpty(ChannelHandlerContext ctx, Message.Heartbeat heartbeat) {
        if (!heartbeat.equals(Message.Heartbeat.EMPTY)) {
            fail(ctx, "engine sent %s although liveness was not agreed".formatted(heartbeat));
        }
    }

    private void acknowledge(ChannelHandlerContext ctx, Message.Heartbeat heartbeat) {
        // An acknowledgement that does not grow would make the client drop the channel.
        if (Long.compareUnsigned(heartbeat.sequence(), acknowledged) > 0) {
            acknowledged = heartbeat.sequence();
            var _ = ctx.writeAndFlush(new Message.Heartbeat(0, acknowledged), ctx.voidPromise());
        }
    }

    private void beat(ChannelHandlerContext ctx) {
        if (role == Role.BOUNDED_CLIENT) {
            sent++;
            var _ = ctx.writeAndFlush(new Message.Heartbeat(sent, 0), ctx.voidPromise());
        } else {
            beatLegacy(ctx);
        }
        scheduleBeat(ctx);
    }

    private void beatLegacy(ChannelHandlerContext ctx) {
        long now = ctx.executor().ticker().nanoTime();
        if (pendingWrites == 0) {
            oldestPendingWriteNanos = now;
        } else if (now - oldestPendingWriteNanos >= timeoutNanos) {
            fail(ctx, "no heartbeat could be written for %d ms".formatted(timeoutMillis()));
            return;
        }
        pendingWrites++;
        ctx.writeAndFlush(Message.Heartbeat.EMPTY).addListener((ChannelFuture _) -> pendingWrites--);
    }

    private void scheduleBeat(ChannelHandlerContext ctx) {
        if (!failed) {
            beat = ctx.executor().schedule(() -> beat(ctx), intervalNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void checkSilenceIn(ChannelHandlerContext ctx, long delayNanos) {
        deadline = ctx.executor().schedule(() -> checkSilence(ctx), delayNanos, TimeUnit.NANOSECONDS);
    }

    private void checkSilence(ChannelHandlerContext ctx) {
        long remaining = lastReadNanos + timeoutNanos - ctx.executor().ticker().nanoTime();
        if (remaining > 0) {
            checkSilenceIn(ctx, remaining);
        } else {
            fail(ctx, "nothing came from the peer for %d ms".formatted(timeoutMillis()));
        }
    }

    private long timeoutMillis() {
        return TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
    }

    private void fail(ChannelHandlerContext ctx, String message) {
        if (!failed) {
            failed = true;
            stop();
            ctx.fireExceptionCaught(new LivenessException(message));
        }
    }

    private void stop() {
        if (beat != null) {
            beat.cancel(false);
        }
        if (deadline != null) {
            deadline.cancel(false);
        }
    }
}
