package io.rstream.operator.controlplane;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * When to ask again. A part is left to chance, so that connections which began together do not stay together.
 *
 * @param random numbers from 0 (inclusive) to 1 (exclusive)
 */
record LookUpPauses(DoubleSupplier random) {

    private static final Duration REFRESH = Duration.ofMinutes(10);
    private static final double REFRESH_SPREAD = 0.2;
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final int DOUBLINGS = 6;
    private static final double RETRY_SPREAD = 0.25;

    /** After an answer, also after one that refuses: 8 to 12 minutes. */
    Duration untilRefresh() {
        return scaled(REFRESH, 1 - REFRESH_SPREAD + 2 * REFRESH_SPREAD * random.getAsDouble());
    }

    /** After this many failures for passing reasons before the present one: from 1 s, doubled up to a minute, or a quarter less. */
    Duration afterFailures(int before) {
        var doubled = FIRST.multipliedBy(1L << Math.min(before, DOUBLINGS));
        return scaled(doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled, 1 - RETRY_SPREAD * random.getAsDouble());
    }

    private static Duration scaled(Duration duration, double factor) {
        return Duration.ofMillis(Math.round(duration.toMillis() * factor));
    }
}
