package io.rstream.agent.stream;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.rstream.agent.connect.DialException;
import io.rstream.agent.connect.FailureText;
import io.rstream.agent.log.TunnelName;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether the Service can be reached: it dials for streams and counts the failures in a row. While the Service cannot
 * be reached it also tries by itself, one plain TCP connection at a time. {@link #dial} may be called from any thread; state
 * belongs to one event loop.
 *
 * <pre>
 *   reachable --failures in a row--> unreachable --first success, of a stream or a try of its own--> reachable
 *                                     |       ^
 *                                     +-try---+ again after a pause
 * </pre>
 */
public final class TargetMonitor {
    private static final Logger log = LoggerFactory.getLogger(TargetMonitor.class);

    /** Connects to the Service; as {@link Upstream#dial}. */
    @FunctionalInterface
    interface Dialing {
        Future<Channel> dial(EventLoop loop, Duration most);
    }

    /**
     * When it speaks.
     *
     * @param failures failures in a row after which the Service counts as unreachable
     * @param pause between two tries of its own
     * @param quiet at least this long between two changes that it tells
     */
    public record Timings(int failures, Duration pause, Duration quiet) {
        /** What agents use. */
        public static final Timings DEFAULT = new Timings(3, Duration.ofSeconds(10), Duration.ofSeconds(10));
    }

    private final Dialing service;
    private final String target;
    private final EventLoop loop;
    private final Timings timings;
    private final TunnelName name;
    private final Consumer<String> changes;

    /** Whether a success changes anything; saves a task for each stream while all is well. */
    private volatile boolean troubled;

    // The event loop's own.
    private int failures;
    private String error = "";
    private String told = "";
    private boolean trying;
    private @Nullable Future<?> quiet;

    TargetMonitor(
            Dialing service,
            String target,
            EventLoop loop,
            Timings timings,
            TunnelName name,
            Consumer<String> changes) {
        this.service = service;
        this.target = target;
        this.loop = loop;
        this.timings = timings;
        this.name = name;
        this.changes = changes;
    }

    /**
     * Watches a Service; does nothing before the first stream.
     *
     * @param loop where its state lives and its own tries are made
     * @param changes takes why the Service cannot be reached, or "" when it can again; on {@code loop}, must not block
     */
    public static TargetMonitor of(
            Upstream upstream, EventLoop loop, Timings timings, TunnelName name, Consumer<String> changes) {
        return new TargetMonitor(upstream::dial, upstream.target(), loop, timings, name, changes);
    }

    /** {@code host:port}, as users write it. */
    public String target() {
        return target;
    }

    /** Connects to the Service for a stream; as {@link Upstream#dial}. */
    public Future<Channel> dial(EventLoop streamLoop, Duration most) {
        return service.dial(streamLoop, most).addListener((Future<Channel> dialed) -> {
            if (!dialed.isSuccess()) {
                troubled = true;
                inLoop(() -> missed(cause(dialed.cause())));
            } else if (troubled) {
                inLoop(this::reached);
            }
        });
    }

    /** At the end of the process one loop ends before the other; what it would have noted is of no use any more. */
    private void inLoop(Runnable task) {
        if (!loop.isShuttingDown()) {
            loop.execute(task);
        }
    }

    private void reached() {
        troubled = false;
        failures = 0;
        if (!error.isEmpty()) {
            error = "";
            name.on(log.atInfo()).addKeyValue("target", target).log("Service can be reached again");
            tell();
        }
    }

    private void missed(String cause) {
        troubled = true;
        failures++;
        if (failures < timings.failures()) {
            return;
        }
        boolean isNew = error.isEmpty();
        error = "cannot connect to %s: %s".formatted(target, cause);
        if (isNew) {
            name.on(log.atWarn())
                    .addKeyValue("target", target)
                    .addKeyValue("error", cause)
                    .addKeyValue("failures", failures)
                    .log("Service cannot be reached; trying until it can");
        }
        tell();
        if (!trying) {
            trying = true;
            tryLater();
        }
    }

    private void tryLater() {
        var _ = loop.schedule(this::tryOnce, timings.pause().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void tryOnce() {
        if (error.isEmpty()) {
            trying = false;
            return;
        }
        service.dial(loop, Upstream.TIMEOUT).addListener((Future<Channel> dialed) -> {
            if (dialed.isSuccess()) {
                var _ = dialed.getNow().close();
                trying = false;
                reached();
            } else {
                if (!error.isEmpty()) {
                    missed(cause(dialed.cause()));
                }
                tryLater();
            }
        });
    }

    private void tell() {
        if (quiet != null || error.equals(told)) {
            return;
        }
        told = error;
        quiet = loop.schedule(
                () -> {
                    quiet = null;
                    tell();
                },
                timings.quiet().toNanos(),
                TimeUnit.NANOSECONDS);
        changes.accept(told);
    }

    /** Without the other end, which the text names anyway, and without times, which vary from try to try. */
    private static String cause(@Nullable Throwable failure) {
        if (failure instanceof DialException dial && dial.isTimeout()) {
            return "timed out";
        }
        String text = FailureText.of(failure);
        int end = text.startsWith("dial ") ? text.indexOf(": ") : -1;
        return end < 0 ? text : text.substring(end + 2);
    }
}
