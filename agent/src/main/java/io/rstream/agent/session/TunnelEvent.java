package io.rstream.agent.session;

/** What happens to the tunnel, for health, status and whoever else is interested. */
public sealed interface TunnelEvent {
    /** An attempt begins. */
    record Connecting() implements TunnelEvent {}

    /**
     * The engine has opened the tunnel, or there is news of one that is open.
     *
     * @param tunnel the tunnel
     * @param credentialProblem why changed credentials are not used, for users and free of secrets; "" when all is well
     */
    record Online(OnlineTunnel tunnel, String credentialProblem) implements TunnelEvent {
        /** A tunnel of which there is nothing else to say. */
        public Online(OnlineTunnel tunnel) {
            this(tunnel, "");
        }
    }

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
