package io.rstream.agent.session;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.agent.log.TunnelName;
import io.rstream.process.Durations;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a tunnel online: one attempt after the other, with growing pauses in between (operator reference, section 4.4).
 * Pauses start anew once a session was online for as long as the longest pause. All state belongs to one event loop; the
 * public methods may be called from any thread.
 *
 * <pre>
 *   start() -> attempting --online--> attempting --failed--> waiting --time is up--> attempting
 *                   | close()                                   | close()
 *                   v                                           v
 *                closing ------------session ended-----------> closed
 * </pre>
 */
public final class Reconnector {
    private static final Logger log = LoggerFactory.getLogger(Reconnector.class);
    private static final long NOT_ONLINE = Long.MIN_VALUE;

    /** Makes attempts. */
    public interface Attempts {
        /** Begins one; the listener is called on the reconnector's event loop. */
        Attempt begin(Listener listener);

        /** Gives streams of earlier sessions the time to end when there is no session. */
        Future<?> drain();
    }

    /** One attempt and the session that it leads to. */
    public interface Attempt {
        /** Asks for an orderly end; {@link Listener#ended} follows. */
        void close();
    }

    /** Hears of one attempt. */
    public interface Listener {
        /** The tunnel is online. */
        void online(OnlineTunnel tunnel);

        /** The attempt or its session is over; called exactly once. */
        void ended(SessionEnd end);
    }

    private final EventLoop loop;
    private final Attempts attempts;
    private final Backoff backoff;
    private final Consumer<TunnelEvent> events;
    private final TunnelName name;
    private final String target;
    private final Promise<Void> closed;

    private @Nullable Attempt attempt;
    private @Nullable Future<?> pause;
    private boolean closing;
    private long onlineSinceNanos = NOT_ONLINE;

    /**
     * Does nothing yet.
     *
     * @param events hears what happens, on the event loop; must not block
     * @param target host:port of the Service, for the log
     */
    public Reconnector(
            EventLoop loop,
            Attempts attempts,
            Backoff backoff,
            Consumer<TunnelEvent> events,
            TunnelName name,
            String target) {
        this.loop = loop;
        this.attempts = attempts;
        this.backoff = backoff;
        this.events = events;
        this.name = name;
        this.target = target;
        this.closed = loop.newPromise();
    }

    /** Begins the first attempt. */
    public void start() {
        loop.execute(this::tryOnce);
    }

    /** Ends in order: no new streams, open ones get time to end, the engine is told. Completes when that is done. */
    public Future<Void> close() {
        loop.execute(this::beginClosing);
        return closed;
    }

    private void tryOnce() {
        if (closing) {
            return;
        }
        pause = null;
        onlineSinceNanos = NOT_ONLINE;
        events.accept(new TunnelEvent.Connecting());
        attempt = attempts.begin(new Listener() {
            @Override
            public void online(OnlineTunnel tunnel) {
                Reconnector.this.online(tunnel);
            }

            @Override
            public void ended(SessionEnd end) {
                Reconnector.this.ended(end);
            }
        });
    }

    private void online(OnlineTunnel tunnel) {
        if (closing) {
            return;
        }
        onlineSinceNanos = loop.ticker().nanoTime();
        events.accept(new TunnelEvent.Online(tunnel));
        name.on(log.atInfo())
                .addKeyValue("tunnel_id", tunnel.tunnelId())
                .addKeyValue("forwarding_address", tunnel.forwardingAddress())
                .addKeyValue("target", target)
                .log("Tunnel online");
    }

    private void ended(SessionEnd end) {
        attempt = null;
        if (closing) {
            closed.trySuccess(null);
            return;
        }
        switch (end) {
            case SessionEnd.Closed _ -> retryAfter(new SessionEnd.Failed("the session ended", false));
            case SessionEnd.Failed failure -> retryAfter(failure);
        }
    }

    private void retryAfter(SessionEnd.Failed failure) {
        if (wasStable()) {
            backoff.reset();
        }
        Duration delay = backoff.next(failure.permanent());
        events.accept(new TunnelEvent.Disconnected(failure.message(), failure.kind()));
        name.on(log.atWarn())
                .addKeyValue("error", failure.message())
                .addKeyValue("retry_in", Durations.format(delay))
                .addKeyValue("reason", failure.permanent() ? "permanent" : "transient")
                .log("Tunnel disconnected; retrying");
        pause = loop.schedule(this::tryOnce, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private boolean wasStable() {
        return onlineSinceNanos != NOT_ONLINE
                && loop.ticker().nanoTime() - onlineSinceNanos >= backoff.max().toNanos();
    }

    private void beginClosing() {
        if (closing) {
            return;
        }
        closing = true;
        events.accept(new TunnelEvent.ShuttingDown());
        if (pause != null) {
            pause.cancel(false);
        }
        if (attempt != null) {
            attempt.close();
        } else {
            attempts.drain().addListener(_ -> closed.trySuccess(null));
        }
    }
}
