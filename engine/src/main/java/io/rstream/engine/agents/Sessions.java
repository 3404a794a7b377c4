package io.rstream.engine.agents;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** All control channels that are open. Thread-safe. */
public final class Sessions {
    private final Map<String, AgentSession> open = new ConcurrentHashMap<>();
    private final int limit;

    /** Takes up to this many sessions. */
    public Sessions(int limit) {
        this.limit = limit;
    }

    /** The sessions at about this moment. */
    public Collection<AgentSession> all() {
        return open.values();
    }

    /** Ends all control channels; established streams go on. */
    public void closeAll() {
        open.values().forEach(AgentSession::end);
    }

    /** Counts a session in; false when there are too many. */
    synchronized boolean add(AgentSession session) {
        if (open.size() >= limit) {
            return false;
        }
        open.put(session.clientId(), session);
        return true;
    }

    void remove(AgentSession session) {
        open.remove(session.clientId(), session);
    }
}
