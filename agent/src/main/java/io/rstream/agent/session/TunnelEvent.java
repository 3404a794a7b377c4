package io.rstream.agent.session;

/** What happens to the tunnel, for health, status and whoever else is interested. */
public sealed interface TunnelEvent {
    /** An attempt begins. */
    record Connecting() implements TunnelEvent {}

    /** The engine has opened the tunnel. */
    record Online(OnlineTunnel tunnel) implements TunnelEvent {}

    /**
     * The attempt or the session failed; another one follows.
     *
     * @param error for users; free of secrets
     * @param kind what follows from it
     */
    record Disconnected(String error, FailureKind kind) implements TunnelEvent {}

    /** The process ends; nothing follows. */
    record ShuttingDown() implements TunnelEvent {}
}
