package io.rstream.agent.stream;

import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * All streams of this process, of whatever session: they outlive the control channel that brought them (rstream protocol,
 * section 10.6). Thread-safe.
 */
public final class ActiveStreams {
    private final Set<Ticket> tickets = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Promise<Void>> whenNone = new AtomicReference<>();
    private final LongAdder opened = new LongAdder();
    private final LongAdder failedDials = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder bytesFromEngine = new LongAdder();
    private final LongAdder bytesToEngine = new LongAdder();

    /** One stream from the engine's request to its end. */
    public final class Ticket {
        private volatile @Nullable Channel channel;
        private volatile boolean cut;

        /** The connection to close when the stream must end. */
        void carriedBy(Channel stream) {
            channel = stream;
            opened.increment();
            if (cut) {
                var _ = stream.close();
            }
        }

        void end() {
            if (tickets.remove(this)) {
                announceNone();
            }
        }

        private void cut() {
            cut = true;
            Channel stream = channel;
            if (stream != null) {
                var _ = stream.close();
            }
        }
    }

    Ticket begin() {
        Ticket ticket = new Ticket();
        tickets.add(ticket);
        return ticket;
    }

    void countFailedDial() {
        failedDials.increment();
    }

    void countFailed() {
        failed.increment();
    }

    void countBytes(long fromEngine, long toEngine) {
        bytesFromEngine.add(fromEngine);
        bytesToEngine.add(toEngine);
    }

    void countRefused() {
        refused.increment();
    }

    /** Streams that are open or being opened. */
    public int count() {
        return tickets.size();
    }

    /** Streams that were joined since the process started. */
    public long opened() {
        return opened.sum();
    }

    /** Streams that ended because the Service could not be dialed. */
    public long failedDials() {
        return failedDials.sum();
    }

    /** Streams that ended because the engine could not be reached for them. */
    public long failed() {
        return failed.sum();
    }

    /** Bytes that callers sent in streams that have ended. */
    public long bytesFromEngine() {
        return bytesFromEngine.sum();
    }

    /** Bytes that the Service sent in streams that have ended. */
    public long bytesToEngine() {
        return bytesToEngine.sum();
    }

    /** Streams that were refused for a limit, an unknown tunnel or a shutdown. */
    public long refused() {
        return refused.sum();
    }

    /**
     * Waits for all streams to end, then closes those that are left. To be called once.
     *
     * @return completes when none is left or time is up; the value is how many were cut
     */
    public Future<Integer> drain(EventExecutor executor, Duration limit) {
        Promise<Integer> drained = executor.newPromise();
        Promise<Void> none = executor.newPromise();
        Future<?> deadline = executor.schedule(() -> none.trySuccess(null), limit.toMillis(), TimeUnit.MILLISECONDS);
        none.addListener(_ -> {
            deadline.cancel(false);
            int left = tickets.size();
            tickets.forEach(Ticket::cut);
            drained.trySuccess(left);
        });
        whenNone.set(none);
        announceNone();
        return drained;
    }

    private void announceNone() {
        Promise<Void> waiting = whenNone.get();
        if (waiting != null && tickets.isEmpty()) {
            waiting.trySuccess(null);
        }
    }
}
