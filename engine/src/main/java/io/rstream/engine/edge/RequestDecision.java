package io.rstream.engine.edge;

/** What {@link RequestRules} say about the head of a request. */
sealed interface RequestDecision {
    /**
     * It can be forwarded.
     *
     * @param authority what it is for
     * @param target the request target to send, byte for byte as the caller wrote it
     * @param upgrade whether the caller offers to switch protocols
     */
    record Sound(Authority authority, String target, boolean upgrade) implements RequestDecision {}

    /** It cannot. */
    record Unsound(EdgeAnswer answer) implements RequestDecision {}
}
