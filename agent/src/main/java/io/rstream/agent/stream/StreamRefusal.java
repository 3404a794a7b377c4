package io.rstream.agent.stream;

/** A stream is not served; the message goes to the engine and is shown to its callers, so it never holds a secret. */
final class StreamRefusal extends Exception {
    private final boolean upstream;

    private StreamRefusal(String message, boolean upstream) {
        super(message, null, false, false);
        this.upstream = upstream;
    }

    static StreamRefusal of(String message) {
        return new StreamRefusal(message, false);
    }

    /** The Service cannot be reached. */
    static StreamRefusal ofUpstream(String message) {
        return new StreamRefusal(message, true);
    }

    boolean isUpstream() {
        return upstream;
    }
}
