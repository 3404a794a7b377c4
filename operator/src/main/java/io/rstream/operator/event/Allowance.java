package io.rstream.operator.event;

import java.time.Duration;
import java.time.Instant;

/** How many Events one object may still cause: a bucket of tokens that fills slowly. Used under the recorder's lock. */
final class Allowance {

    static final int BURST = 10;
    static final Duration REFILL = Duration.ofMinutes(5);

    private int tokens = BURST;
    private Instant filled;

    Allowance(Instant now) {
        filled = now;
    }

    /** Takes one token, if one is left. A clock that goes backwards gives none. */
    boolean take(Instant now) {
        var periods = Math.max(0, Duration.between(filled, now).dividedBy(REFILL));
        if (periods > 0) {
            tokens = (int) Math.min(BURST, tokens + periods);
            filled = filled.plus(REFILL.multipliedBy(periods));
        }
        if (tokens == 0) {
            return false;
        }
        tokens--;
        return true;
    }
}
