package io.rstream.engine.agents;

import io.rstream.protocol.WireError;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** All control channels that are open, until the engine stops. Thread-safe. */
public final class Sessions {
    private final Map<String, AgentSession> open = new ConcurrentHashMap<>();
    private final int limit;
    private volatile boolean draining;

    /** Takes up to this many sessions. */
    public Sessions(int limit) {
        this.limit = limit;
    }

    /** The sessions at about this moment. */
    public Collection<AgentSession> all() {
        return open.values();
    }

    /** Ends all control channels and lets no more in; established streams go on. */
    public void closeAll() {
        synchronized (this) {
            draining = true;
        }
        open.values().forEach(AgentSession::end);
    }

    /** Whether {@link #closeAll} has been called: what connects from now on is too late. */
    public boolean draining() {
        return draining;
    }

    /** Counts a session in; else the refusal. */
    synchronized Optional<WireError> add(AgentSession session) {
        if (draining) {
            return Optional.of(new WireError(WireError.SERVICE_UNAVAILABLE, "The engine stops."));
        }
        if (open.size() >= limit) {
            return Optional.of(
                    new WireError(WireError.CAPACITY_EXHAUSTED, "The engine has as many sessions as it allows."));
        }
        open.put(session.clientId(), session);
        return Optional.empty();
    }

    void remove(AgentSession session) {
        open.remove(session.clientId(), session);
    }
}
