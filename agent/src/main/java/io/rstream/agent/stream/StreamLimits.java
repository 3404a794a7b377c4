package io.rstream.agent.stream;

/**
 * How many streams an agent takes on.
 *
 * @param opening streams that are being opened at a time
 * @param waiting streams that may wait for that; more are refused
 * @param open streams that may be open together; more are refused
 */
public record StreamLimits(int opening, int waiting, int open) {
    /** What the official Java client does (rstream protocol, section 10.8), and a bound for the memory of relays. */
    public static final StreamLimits DEFAULT = new StreamLimits(256, 1_024, 10_000);
}
