package io.rstream.agent.session;

/** How a session ended. */
public sealed interface SessionEnd {
    /** It was closed because somebody asked for that. */
    record Closed() implements SessionEnd {}

    /**
     * It failed.
     *
     * @param message for users; free of secrets
     * @param permanent whether trying again without a change is of little use
     */
    record Failed(String message, boolean permanent) implements SessionEnd {}
}
