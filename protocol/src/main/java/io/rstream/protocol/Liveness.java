package io.rstream.protocol;

import java.util.Optional;

/**
 * How often a client sends heartbeats and how long silence is tolerated (rstream protocol, section 10.2). Numbers above
 * 2^31 - 1 on the wire are read as 2^31 - 1, which no rule accepts.
 *
 * @param intervalMillis milliseconds between two heartbeats of the client
 * @param timeoutMillis milliseconds of silence after which the channel is dead; 0 in a request
 */
public record Liveness(int intervalMillis, int timeoutMillis) {

    /** The interval that clients ask for unless told otherwise: 5 s. */
    public static final int DEFAULT_INTERVAL_MILLIS = 5_000;

    /** The shortest interval that a client may ask for: 1 s. */
    public static final int MINIMUM_INTERVAL_MILLIS = 1_000;

    /** The longest interval that a client may ask for: 5 min. */
    public static final int MAXIMUM_INTERVAL_MILLIS = 300_000;

    /** The longest time-out that a client accepts: 15 min. */
    public static final int MAXIMUM_TIMEOUT_MILLIS = 900_000;

    // With an interval of 1 s a channel must survive 4.2 s without delivery, so short intervals get a longer time-out.
    private static final int USUAL_TIMEOUT_MILLIS = 15_000;

    /** The request of a client: an interval and no time-out. */
    public static Liveness request(int intervalMillis) {
        return new Liveness(intervalMillis, 0);
    }

    /**
     * The engine's answer to this request: the same interval with a time-out of three intervals and at least 15 s. Empty
     * when the interval is outside the allowed range; the engine then leaves liveness out, which is legacy mode.
     */
    public Optional<Liveness> answer() {
        if (intervalMillis < MINIMUM_INTERVAL_MILLIS || intervalMillis > MAXIMUM_INTERVAL_MILLIS) {
            return Optional.empty();
        }
        int timeout = Math.min(Math.max(3 * intervalMillis, USUAL_TIMEOUT_MILLIS), MAXIMUM_TIMEOUT_MILLIS);
        return Optional.of(new Liveness(intervalMillis, timeout));
    }

    /** Whether a client that asked for {@code requestedIntervalMillis} may accept this answer. */
    public boolean answers(int requestedIntervalMillis) {
        return intervalMillis == requestedIntervalMillis
                && timeoutMillis >= intervalMillis
                && timeoutMillis <= MAXIMUM_TIMEOUT_MILLIS;
    }
}
