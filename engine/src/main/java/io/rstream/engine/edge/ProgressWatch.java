package io.rstream.engine.edge;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices that nothing moves any more while somebody is waited for. Looks once per limit, so it takes one to two limits to
 * notice; costs nothing while nobody is waited for. Lives on one event loop.
 */
final class ProgressWatch {
    private final EventLoop loop;
    private final long limitNanos;
    private final LongSupplier progress;
    private final Runnable stuck;
    private @Nullable Future<?> timer;

    /**
     * A watch that does not run yet.
     *
     * @param progress any number that changes when something moved
     * @param stuck runs once, when it did not change within the limit
     */
    ProgressWatch(EventLoop loop, Duration limit, LongSupplier progress, Runnable stuck) {
        this.loop = loop;
        this.limitNanos = limit.toNanos();
        this.progress = progress;
        this.stuck = stuck;
    }

    /** Somebody is waited for from now on; does nothing when this is known already. */
    void begin() {
        if (timer == null) {
            schedule(progress.getAsLong());
        }
    }

    /** Nobody is waited for any more. */
    void end() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void schedule(long seen) {
        timer = loop.schedule(() -> look(seen), limitNanos, TimeUnit.NANOSECONDS);
    }

    private void look(long before) {
        long now = progress.getAsLong();
        if (now != before) {
            schedule(now);
        } else {
            timer = null;
            stuck.run();
        }
    }
}
