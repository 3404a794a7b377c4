package io.rstream.agent.stream;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Lets the first of many equal warnings through, then one for each period, and counts the others. Thread-safe.
 */
final class RareWarning {
    private final long periodNanos;
    private final LongSupplier nanoTime;
    private long suppressed;
    private long nextNanos;
    private boolean used;

    RareWarning(Duration period, LongSupplier nanoTime) {
        this.periodNanos = period.toNanos();
        this.nanoTime = nanoTime;
    }

    /** How many were held back since the last one that was let through, or -1 when this one is held back, too. */
    synchronized long take() {
        long now = nanoTime.getAsLong();
        if (used && now - nextNanos < 0) {
            suppressed++;
            return -1;
        }
        long before = suppressed;
        used = true;
        suppressed = 0;
        nextNanos = now + periodNanos;
        return before;
    }
}
