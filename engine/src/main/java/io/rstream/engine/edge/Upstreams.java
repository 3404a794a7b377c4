package io.rstream.engine.edge;

import io.rstream.engine.tunnels.Tunnel;
import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connections to services that wait for the next request, by tunnel; the one used last is taken first. Bounded for each
 * tunnel, closed when they rest too long and when the tunnel goes. Thread-safe.
 */
final class Upstreams {
    private static final int MOST_IDLE = 64;
    /**
     * A request that must not be sent twice takes only a connection that rested for less than this: services close idle
     * connections after seconds, and the request would be lost without anybody being to blame.
     */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<Tunnel, Deque<UpstreamConnection>> idle = new ConcurrentHashMap<>();
    private final long idleNanos;

    Upstreams(Duration idleLimit) {
        this.idleNanos = idleLimit.toNanos();
    }

    /** A connection that rests, if there is one that is good enough. */
    @Nullable
    UpstreamConnection take(Tunnel tunnel, boolean repeatable, long nowNanos) {
        Deque<UpstreamConnection> connections = idle.get(tunnel);
        if (connections == null) {
            return null;
        }
        for (UpstreamConnection connection = connections.pollFirst();
                connection != null;
                connection = connections.pollFirst()) {
            if (!repeatable && nowNanos - connection.idleSinceNanos() > FRESH_NANOS) {
                connections.addFirst(connection);
                return null;
            }
            if (connection.lease()) {
                return connection;
            }
        }
        return null;
    }

    /** The exchange is over and the connection may serve another. */
    void giveBack(UpstreamConnection connection) {
        connection.rest(idleNanos);
    }

    /** Offers a connection that rests; false when it is not wanted. */
    boolean keep(UpstreamConnection connection) {
        Tunnel tunnel = connection.tunnel();
        Deque<UpstreamConnection> connections = idle.get(tunnel);
        if (connections == null) {
            Deque<UpstreamConnection> created = new ConcurrentLinkedDeque<>();
            connections = idle.putIfAbsent(tunnel, created);
            if (connections == null) {
                connections = created;
                tunnel.whenGone(() -> closeAll(tunnel));
            }
        }
        if (connections.size() >= MOST_IDLE) {
            return false;
        }
        connections.addFirst(connection);
        if (!tunnel.online()) {
            closeAll(tunnel);
            return false;
        }
        return true;
    }

    /** The connection is closed. */
    void forget(UpstreamConnection connection) {
        Deque<UpstreamConnection> connections = idle.get(connection.tunnel());
        if (connections != null) {
            connections.remove(connection);
        }
    }

    private void closeAll(Tunnel tunnel) {
        Deque<UpstreamConnection> connections = idle.remove(tunnel);
        if (connections != null) {
            connections.forEach(UpstreamConnection::closeIfIdle);
        }
    }
}
