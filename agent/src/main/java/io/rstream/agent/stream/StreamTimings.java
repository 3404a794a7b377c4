package io.rstream.agent.stream;

import java.time.Duration;

/**
 * How long opening a stream may take (rstream protocol, section 10.8).
 *
 * @param attempt for one connection to the engine: name, TCP, proxy and TLS together
 * @param opening from the engine's request to the stream: waiting for a turn, the Service, all attempts
 */
public record StreamTimings(Duration attempt, Duration opening) {
    /** What agents use; the engine gives a stream up after 30 s, and what comes later is in vain. */
    public static final StreamTimings DEFAULT = new StreamTimings(Duration.ofSeconds(10), Duration.ofSeconds(25));

    /** The smaller of an attempt's limit and what is left of the opening's. */
    Duration attemptWithin(Duration left) {
        return attempt.compareTo(left) < 0 ? attempt : left;
    }
}
