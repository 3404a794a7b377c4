package io.rstream.engine.tunnels;

import io.rstream.protocol.Message;
import org.jspecify.annotations.Nullable;

/** The session that a tunnel belongs to, as far as tunnels and streams need to know it. Thread-safe. */
public interface TunnelOwner {
    /** Identifier of the session, shown in the inventory as {@code client_id}. */
    String clientId();

    /** Who opened the session; the same principal may take a tunnel over (protocol, section 10.6). */
    String principal();

    /** The name of the principal for inventories, or null. */
    @Nullable
    String user();

    /** Whether the session is open. */
    boolean online();

    /** Whether the agent takes further requests; false when it does not read its control channel. */
    boolean accepting();

    /** When the last frame arrived, on the scale of {@link System#nanoTime()}. */
    long lastHeardNanos();

    /**
     * How long an agent in good health is silent at most, in nanoseconds, or 0 when it sends no heartbeats and its silence
     * means nothing.
     */
    long usualSilenceNanos();

    /** Queues a message; dropped when the session is closed. */
    void send(Message message);

    /** Another session has taken the tunnel over, which is gone already. */
    void lost(Tunnel tunnel);
}
