package io.rstream.operator.controlplane;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

/**
 * How hard one control plane may be asked: so many look-ups at once, and a pause between the beginnings of two. Callers wait,
 * so they belong on virtual threads; callers for one host do not hold up those for another. Thread-safe.
 */
final class HostLimits {

    private final int atOnce;
    private final long pauseNanos;
    private final LongSupplier nanoTime;
    private final Map<String, Host> hosts = new ConcurrentHashMap<>();

    /** The rest of one host. */
    private final class Host {

        private final Semaphore permits = new Semaphore(atOnce, true);
        private long next = nanoTime.getAsLong(); // Guarded by this.

        /** Takes the next free moment and tells how far away it is. */
        private synchronized long nanosToTurn() {
            var now = nanoTime.getAsLong();
            var turn = Math.max(now, next);
            next = turn + pauseNanos;
            return turn - now;
        }
    }

    /** A place among those that ask at the moment; closing gives it back. */
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    HostLimits(int atOnce, Duration pause, LongSupplier nanoTime) {
        this.atOnce = atOnce;
        this.pauseNanos = pause.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Waits for a place and a turn. */
    Place enter(String authority) throws InterruptedException {
        var host = hosts.computeIfAbsent(authority, _ -> new Host());
        host.permits.acquire();
        try {
            Thread.sleep(Duration.ofNanos(host.nanosToTurn()));
            return host.permits::release;
        } catch (InterruptedException stopped) {
            host.permits.release();
            throw stopped;
        }
    }

    /** How long a look-up that comes now would wait for its turn, and takes that turn; for tests. */
    Duration turn(String authority) {
        return Duration.ofNanos(
                hosts.computeIfAbsent(authority, _ -> new Host()).nanosToTurn());
    }
}
