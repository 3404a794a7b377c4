package io.rstream.engine.streams;

import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.engine.tunnels.Tunnel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * One request to one agent for a stream on its way (protocol, section 11.4). Thread-safe: whoever completes the outcome first wins.
 *
 * <pre>
 *   WAITING --ProxyReq with the right secret--> joined
 *           --ProxyConnRsp with an error------> refused
 *           --timer---------------------------> timed out
 *           --control channel ends------------> agent lost
 *           --CloseTunnelReq, others serve----> tunnel closed; a late ProxyReq is accepted and closed
 *           --asker gives up------------------> abandoned; a late ProxyReq is accepted and closed
 * </pre>
 */
final class Rendezvous {
    private final Tunnel tunnel;
    private final PendingStream wanted;
    private final String streamId;
    private final byte[] secret;
    private final Promise<StreamOutcome> outcome;
    private volatile @Nullable Future<?> timer;

    Rendezvous(Tunnel tunnel, String streamId, String secret, PendingStream wanted) {
        this.tunnel = tunnel;
        this.wanted = wanted;
        this.streamId = streamId;
        this.secret = secret.getBytes(StandardCharsets.US_ASCII);
        this.outcome = wanted.asker().newPromise();
    }

    /** Completes exactly once and never fails; listeners run on the asker's executor. */
    Future<StreamOutcome> outcome() {
        return outcome;
    }

    /** The agent wants no more streams, although it may still call back; others take over, if there are any. */
    void tunnelClosed() {
        if (wanted.canGoElsewhere(tunnel)) {
            outcome.trySuccess(new StreamOutcome.TunnelClosed());
        }
    }

    /** The asker has gone; has no effect when the outcome is known already. */
    void abandon() {
        outcome.trySuccess(new StreamOutcome.Abandoned());
    }

    Tunnel tunnel() {
        return tunnel;
    }

    String streamId() {
        return streamId;
    }

    boolean hasSecret(@Nullable String presented) {
        return presented != null && MessageDigest.isEqual(secret, presented.getBytes(StandardCharsets.UTF_8));
    }

    boolean complete(StreamOutcome result) {
        return outcome.trySuccess(result);
    }

    boolean join(Channel channel) {
        return outcome.trySuccess(new StreamOutcome.Joined(channel, streamId, tunnel));
    }

    void timer(Future<?> scheduled) {
        this.timer = scheduled;
    }

    void cancelTimer() {
        Future<?> scheduled = timer;
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }
}
