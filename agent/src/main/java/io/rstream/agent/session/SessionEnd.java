package io.rstream.agent.session;

/** How a session ended. */
public sealed interface SessionEnd {
    /** It was closed because somebody asked for that. */
    record Closed() implements SessionEnd {}

    /**
     * It failed.
     *
     * @param message for users; free of secrets
     * @param kind what follows from it
     */
    record Failed(String message, FailureKind kind) implements SessionEnd {
        /** A failure on this side of the wire: of a setting when it is permanent. */
        public Failed(String message, boolean permanent) {
            this(message, permanent ? FailureKind.SETTING : FailureKind.PASSING);
        }

        /** Whether trying again without a change is of little use. */
        public boolean permanent() {
            return kind.isPermanent();
        }
    }
}
