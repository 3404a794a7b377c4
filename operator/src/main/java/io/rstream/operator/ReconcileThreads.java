package io.rstream.operator;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which passes run. The framework empties its caches while passes are still running when it stops, and a pass
 * would then report things as missing that are not. So these threads stop first: passes under way finish, those that wait
 * are dropped, and later ones are not taken. The queue holds at most one pass for each object.
 */
final class ReconcileThreads implements AutoCloseable {

    private final ThreadPoolExecutor executor;
    private final Duration stopLimit;

    ReconcileThreads(int threads, Duration stopLimit) {
        this.stopLimit = stopLimit;
        this.executor = new ThreadPoolExecutor(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("reconcile-", 0).factory(),
                new ThreadPoolExecutor.DiscardPolicy());
    }

    ExecutorService executor() {
        return executor;
    }

    /** Waits for passes under way, at most for the limit, and interrupts what is left. */
    @Override
    public void close() throws InterruptedException {
        executor.shutdown();
        executor.getQueue().clear();
        if (!executor.awaitTermination(stopLimit.toMillis(), TimeUnit.MILLISECONDS)) {
            executor.shutdownNow();
        }
    }
}
