package io.rstream.engine.tunnels;

import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.TunnelProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One tunnel with its effective properties. Thread-safe.
 *
 * <pre>
 *   RESERVED --{@link Registry#publish}--> ONLINE --{@link Registry#remove}--> GONE
 * </pre>
 */
public final class Tunnel {
    /** Label with which agents say which object of a cluster they serve. */
    static final String UID_LABEL = "rstream.kubernetes.uid";

    private enum State {
        RESERVED,
        ONLINE,
        GONE
    }

    private final String id;
    private final TunnelProperties properties;
    private final TunnelOwner owner;
    private final AtomicInteger streams = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final List<Runnable> goneActions = new ArrayList<>();
    private volatile State state = State.RESERVED;

    /**
     * A tunnel that nobody can reach yet.
     *
     * @param id its id, also found in the properties
     * @param properties effective properties
     * @param owner the session that serves it
     */
    public Tunnel(String id, TunnelProperties properties, TunnelOwner owner) {
        this.id = id;
        this.properties = properties;
        this.owner = owner;
    }

    /** The id. */
    public String id() {
        return id;
    }

    /** The effective properties. */
    public TunnelProperties properties() {
        return properties;
    }

    /** The session that serves it. */
    public TunnelOwner owner() {
        return owner;
    }

    /** Whether it is reachable from outside. */
    public boolean published() {
        return Boolean.TRUE.equals(properties.publish());
    }

    /** Whether it is a published tunnel of this protocol. */
    public boolean publishes(TunnelProtocol protocol) {
        return published() && protocol.wireName().equals(properties.protocol());
    }

    /** The public host name that belongs to this tunnel alone, or null. A TCP tunnel shares its host with others. */
    @Nullable
    String ownHostname() {
        return publishes(TunnelProtocol.HTTP) ? properties.hostname() : null;
    }

    /** The public port that belongs to this tunnel alone, or null. */
    @Nullable
    Integer ownPort() {
        return publishes(TunnelProtocol.TCP) ? properties.port() : null;
    }

    /**
     * Whether both are claims of sessions on one and the same tunnel, as when an agent takes another one's place: the same
     * principal says of both that they serve the same object.
     */
    boolean standsFor(Tunnel other) {
        String uid = properties.labels().get(UID_LABEL);
        return uid != null
                && !uid.isBlank()
                && uid.equals(other.properties.labels().get(UID_LABEL))
                && owner.principal().equals(other.owner.principal());
    }

    /** Whether streams may be opened. */
    public boolean online() {
        return state == State.ONLINE;
    }

    /** Counts a stream in; false when there are as many as {@code limit} already. */
    public boolean acquireStream(int limit) {
        return acquire(streams, limit);
    }

    /** Counts a stream out. */
    public void releaseStream() {
        streams.decrementAndGet();
    }

    /** Counts a stream request that waits for the agent in; false when there are as many as {@code limit} already. */
    public boolean acquireWaiting(int limit) {
        return acquire(waiting, limit);
    }

    /** Counts a stream request that waited out. */
    public void releaseWaiting() {
        waiting.decrementAndGet();
    }

    /** Runs once when the tunnel is gone, at once if it is gone already. */
    public void whenGone(Runnable action) {
        synchronized (goneActions) {
            if (state != State.GONE) {
                goneActions.add(action);
                return;
            }
        }
        action.run();
    }

    void goOnline() {
        synchronized (goneActions) {
            if (state == State.RESERVED) {
                state = State.ONLINE;
            }
        }
    }

    /** Runs the actions; calls after the first do nothing. */
    void goAway() {
        List<Runnable> actions;
        synchronized (goneActions) {
            state = State.GONE;
            actions = List.copyOf(goneActions);
            goneActions.clear();
        }
        actions.forEach(Runnable::run);
    }

    private static boolean acquire(AtomicInteger places, int limit) {
        if (places.incrementAndGet() > limit) {
            places.decrementAndGet();
            return false;
        }
        return true;
    }
}
