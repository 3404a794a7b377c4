package io.rstream.agent;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices an event loop that is stuck, so that {@code /healthz} fails and Kubernetes restarts the pod: each loop leaves a
 * time stamp now and then. Thread-safe.
 */
final class LoopWatch {
    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final Map<EventExecutor, Long> lastSeenNanos = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;
    private final long limitNanos;

    /**
     * Watches nothing yet.
     *
     * @param limit how old a loop's time stamp may be
     */
    LoopWatch(Duration limit, LongSupplier nanoTime) {
        this.limitNanos = limit.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Watches all loops of a group until it is shut down. */
    void watch(EventExecutorGroup loops) {
        for (EventExecutor loop : loops) {
            lastSeenNanos.put(loop, nanoTime.getAsLong());
            var _ = loop.scheduleAtFixedRate(
                    () -> lastSeenNanos.put(loop, nanoTime.getAsLong()), 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Whether every loop has run lately. */
    boolean isHealthy() {
        long now = nanoTime.getAsLong();
        return lastSeenNanos.values().stream().allMatch(seen -> now - seen <= limitNanos);
    }
}
