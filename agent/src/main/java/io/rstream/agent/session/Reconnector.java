package io.rstream.agent.session;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.agent.log.TunnelName;
import io.rstream.process.Durations;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a tunnel online: one attempt after the other, with growing pauses in between (operator reference, section 4.4).
 * Pauses start anew once a session was online for as long as the longest pause. When credentials change, a second session
 * is made with the new ones beside the first, which ends only when the second is online. All state belongs to one event
 * loop; the public methods may be called from any thread.
 *
 * <pre>
 *   start() -> connecting --online--> online ----------lost----------> waiting --time is up--> connecting
 *                  ^   | failed         |  ^                              ^
 *                  |   +----------------|--|------------------------------+
 *                  |                    |  +--successor online: it is the session now, the old one retires
 *                  |  credentialsChanged() |
 *                  |                    v  |                failed
 *                  |              online, successor connecting ----> online, successor waiting
 *                  |                    |        ^------ time is up --------+
 *                  +--------------------+  lost: the successor is the session; or the engine refused the successor's claim
 *                                          too often: the old session retires first
 *
 *   close(), from any state: no new session; closed when the sessions there are have ended
 * </pre>
 */
public final class Reconnector {
    private static final Logger log = LoggerFactory.getLogger(Reconnector.class);

    /** How often an engine may refuse a second session of the tunnel until the first makes room for it. */
    private static final int REFUSED_CLAIMS = 3;

    /** Makes attempts. */
    public interface Attempts {
        /** Begins one with the credentials of this moment; the listener is called on the reconnector's event loop. */
        Attempt begin(Listener listener);

        /** Gives streams of earlier sessions the time to end when there is no session. */
        Future<?> drain();
    }

    /** One attempt and the session that it leads to; {@link Listener#ended} follows on both. */
    public interface Attempt {
        /** Asks for an orderly end, and of all streams of the process with it. */
        void close();

        /** Asks for an orderly end because another session serves; streams go on. */
        void retire();
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
    private final Backoff successorBackoff;
    private final Consumer<TunnelEvent> events;
    private final TunnelName name;
    private final String target;
    private final Promise<Void> closed;

    private @Nullable Session current;
    private @Nullable Session successor;
    private final Set<Session> retiring = new HashSet<>();
    private @Nullable Future<?> pause;
    private int refusedClaims;
    /** Whether credentials changed while an attempt was under way that may have read the old ones. */
    private boolean stale;

    private boolean closing;
    private boolean draining;

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
        this.successorBackoff = backoff.another();
        this.events = events;
        this.name = name;
        this.target = target;
        this.closed = loop.newPromise();
    }

    /** Begins the first attempt. */
    public void start() {
        loop.execute(this::tryOnce);
    }

    /** Tells that the credentials are others now: they are used at once, and what serves goes on until they work. */
    public void credentialsChanged() {
        loop.execute(this::useNewCredentials);
    }

    /** Ends in order: no new streams, open ones get time to end, the engine is told. Completes when that is done. */
    public Future<Void> close() {
        loop.execute(this::beginClosing);
        return closed;
    }

    private final class Session implements Listener {
        private @Nullable Attempt attempt;
        private @Nullable OnlineTunnel tunnel;
        private long onlineSinceNanos;

        @Override
        public void online(OnlineTunnel opened) {
            tunnel = opened;
            onlineSinceNanos = loop.ticker().nanoTime();
            Reconnector.this.online(this, opened);
        }

        @Override
        public void ended(SessionEnd end) {
            Reconnector.this.ended(this, end);
        }

        private Attempt attempt() {
            return Objects.requireNonNull(attempt, "a session is begun before anybody sees it");
        }

        private boolean wasStable() {
            return tunnel != null
                    && loop.ticker().nanoTime() - onlineSinceNanos
                            >= backoff.max().toNanos();
        }
    }

    private Session begin() {
        pause = null;
        stale = false;
        Session session = new Session();
        session.attempt = attempts.begin(session);
        return session;
    }

    private void tryOnce() {
        if (!closing) {
            events.accept(new TunnelEvent.Connecting());
            current = begin();
        }
    }

    private void trySuccessor() {
        if (!closing) {
            successor = begin();
        }
    }

    private void online(Session session, OnlineTunnel tunnel) {
        if (closing) {
            return;
        }
        Session replaced = null;
        if (session == successor) {
            replaced = current;
            current = session;
            successor = null;
        }
        events.accept(new TunnelEvent.Online(tunnel));
        name.on(log.atInfo())
                .addKeyValue("tunnel_id", tunnel.tunnelId())
                .addKeyValue("forwarding_address", tunnel.forwardingAddress())
                .addKeyValue("target", target)
                .log("Tunnel online");
        if (replaced != null) {
            name.on(log.atInfo()).log("The new credentials are in use; the session with the old ones ends");
            retire(replaced);
        }
        if (stale) {
            useNewCredentials();
        }
    }

    private void retire(Session session) {
        retiring.add(session);
        session.attempt().retire();
    }

    private void ended(Session session, SessionEnd end) {
        SessionEnd.Failed failure = switch (end) {
            case SessionEnd.Closed _ -> new SessionEnd.Failed("the session ended", false);
            case SessionEnd.Failed failed -> failed;
        };
        if (session == current) {
            current = null;
            lost(session, failure);
        } else if (session == successor) {
            successor = null;
            successorFailed(failure);
        } else {
            retiring.remove(session);
        }
        finishClosing();
    }

    private void lost(Session session, SessionEnd.Failed failure) {
        if (closing) {
            return;
        }
        if (session.wasStable()) {
            backoff.reset();
        }
        if (successor != null) {
            disconnected(failure, Duration.ZERO);
            events.accept(new TunnelEvent.Connecting());
            current = successor;
            successor = null;
        } else {
            cancelPause();
            Duration delay = backoff.next(failure.permanent());
            disconnected(failure, delay);
            pause = loop.schedule(this::tryOnce, delay.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void disconnected(SessionEnd.Failed failure, Duration delay) {
        events.accept(new TunnelEvent.Disconnected(failure.message(), failure.kind()));
        name.on(log.atWarn())
                .addKeyValue("error", failure.message())
                .addKeyValue("retry_in", Durations.format(delay))
                .addKeyValue("reason", failure.permanent() ? "permanent" : "transient")
                .log("Tunnel disconnected; retrying");
    }

    private void useNewCredentials() {
        if (closing) {
            return;
        }
        backoff.reset();
        successorBackoff.reset();
        refusedClaims = 0;
        if (successor != null || (current != null && current.tunnel == null)) {
            stale = true;
            return;
        }
        name.on(log.atInfo()).log("Credentials have changed");
        cancelPause();
        if (current == null) {
            tryOnce();
        } else {
            trySuccessor();
        }
    }

    /** The session with the old credentials goes on, unless it is what stands in the way. */
    private void successorFailed(SessionEnd.Failed failure) {
        Session serving = current;
        OnlineTunnel tunnel = serving == null ? null : serving.tunnel;
        if (closing || serving == null || tunnel == null) {
            return;
        }
        boolean isClaimed = failure.kind() == FailureKind.CLAIMED;
        if (isClaimed && ++refusedClaims == REFUSED_CLAIMS) {
            makeRoom(serving, failure);
            return;
        }
        Duration delay = successorBackoff.next(failure.permanent());
        if (!isClaimed) {
            events.accept(new TunnelEvent.Online(tunnel, failure.message()));
        }
        name.on(log.atWarn())
                .addKeyValue("error", failure.message())
                .addKeyValue("retry_in", Durations.format(delay))
                .log("The new credentials do not work; the session with the old ones goes on");
        pause = loop.schedule(this::trySuccessor, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The engine knows the new credentials, since it got as far as the claim; but it lets only one session have that. */
    private void makeRoom(Session serving, SessionEnd.Failed failure) {
        name.on(log.atWarn())
                .addKeyValue("error", failure.message())
                .log("The engine refuses a second session; the one with the old credentials ends first");
        current = null;
        retire(serving);
        tryOnce();
    }

    private void cancelPause() {
        if (pause != null) {
            pause.cancel(false);
            pause = null;
        }
    }

    private void beginClosing() {
        if (closing) {
            return;
        }
        closing = true;
        events.accept(new TunnelEvent.ShuttingDown());
        cancelPause();
        if (successor != null) {
            successor.attempt().retire();
        }
        if (current != null) {
            current.attempt().close();
        } else {
            draining = true;
            attempts.drain().addListener(_ -> {
                draining = false;
                finishClosing();
            });
        }
    }

    private void finishClosing() {
        if (closing && !draining && current == null && successor == null && retiring.isEmpty()) {
            closed.trySuccess(null);
        }
    }
}
