package io.rstream.agent.session;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt. Pauses double from the first to the longest; after failures that stay until a
 * setting is changed it is the longest at once. A random part of up to one half is taken off, so that
 * agents that lost the same engine do not come back together. Belongs to one thread.
 */
public final class Backoff {
    private final Duration initial;
    private final Duration max;
    private final RandomGenerator random;
    private Duration passing;

    /**
     * Starts with the first pause.
     *
     * @param initial the first pause, greater than zero
     * @param max the longest pause, at least {@code initial}
     */
    public Backoff(Duration initial, Duration max, RandomGenerator random) {
        this.initial = initial;
        this.max = max;
        this.random = random;
        this.passing = initial;
    }

    /** Another one with the same pauses, at its start. */
    Backoff another() {
        return new Backoff(initial, max, random);
    }

    /** The longest pause. */
    Duration max() {
        return max;
    }

    /** The next pause, in whole milliseconds. */
    Duration next(boolean isPermanent) {
        Duration pause = isPermanent ? max : passing;
        if (!isPermanent) {
            passing = least(passing.multipliedBy(2), max);
        }
        long millis = Math.round(pause.toMillis() * (1 - random.nextDouble() / 2));
        return Duration.ofMillis(Math.max(1, millis));
    }

    /** Back to the first pause. */
    void reset() {
        passing = initial;
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
