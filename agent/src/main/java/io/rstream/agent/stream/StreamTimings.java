package io.rstream.agent.stream;

import java.time.Duration;

/**
 * How long a stream may take to open (rstream protocol, section 10.8) and may rest.
 *
 * @param attempt for one connection to the engine: name, TCP, proxy and TLS together
 * @param opening from the engine's request to the stream: waiting for a turn, the Service, all attempts
 * @param idle for an open stream on which no byte arrives from either side; it is closed then
 */
public record StreamTimings(Duration attempt, Duration opening, Duration idle) {
    /**
     * What agents use; the engine gives a stream up after 30 s, and what comes later is in vain. A peer that is gone without
     * a word is noticed by TCP keep-alive much sooner; the idle limit is for peers that live and have forgotten the stream.
     */
    public static final StreamTimings DEFAULT =
            new StreamTimings(Duration.ofSeconds(10), Duration.ofSeconds(25), Duration.ofHours(1));

    /** The smaller of an attempt's limit and what is left of the opening's. */
    Duration attemptWithin(Duration left) {
        return attempt.compareTo(left) < 0 ? attempt : left;
    }
}
