package io.rstream.process;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a process: starts its parts in order, waits for SIGINT, SIGTERM or {@link #requestStop}, stops the parts in
 * reverse order, each within the deadline, and says which exit code the process ends with. Used by main classes only.
 *
 * <pre>
 *   run() -> part 1 starts -> part 2 starts -> ... -> waits
 *                 |  a part fails                       |  signal or requestStop
 *                 v                                     v
 *            started parts stop in reverse order, the exit code is returned
 * </pre>
 */
public final class Application {

    private static final Logger log = LoggerFactory.getLogger(Application.class);

    /** Starts one part and returns what stops it. */
    @FunctionalInterface
    public interface Starter {

        /**
         * Starts the part.
         *
         * @return closed once, when the process stops
         * @throws Exception when the part cannot start; the message is shown to the user
         */
        AutoCloseable start() throws Exception;
    }

    private record Part(String name, Starter starter) {}

    private record Started(String name, AutoCloseable handle) {}

    private record StopRequest(int exitCode, String reason) {}

    private final String name;
    private final Duration stopDeadline;
    private final List<Part> parts = new ArrayList<>();
    private final CompletableFuture<StopRequest> stopRequest = new CompletableFuture<>();

    /**
     * Describes a process without parts.
     *
     * @param name what log lines call it, for example {@code engine}
     * @param stopDeadline how long each part may take to stop
     */
    public Application(String name, Duration stopDeadline) {
        this.name = name;
        this.stopDeadline = stopDeadline;
    }

    /**
     * Adds a part; parts start in the order in which they are added.
     *
     * @return this
     */
    public Application part(String partName, Starter starter) {
        parts.add(new Part(partName, starter));
        return this;
    }

    /**
     * Asks the process to stop. Of several requests the first counts. Safe for use from any thread.
     *
     * @param exitCode what {@link #run} returns
     * @param reason one sentence for the log
     */
    public void requestStop(int exitCode, String reason) {
        stopRequest.complete(new StopRequest(exitCode, reason));
    }

    /**
     * Starts everything, waits, stops everything.
     *
     * @return the exit code: {@link ExitCode#OK} after a signal, {@link ExitCode#FAILURE} when a part did not start, else
     *     what {@link #requestStop} said
     */
    public int run() {
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        Thread hook = new Thread(() -> stopOnSignal(ended), name + "-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        Deque<Started> started = new ArrayDeque<>();
        int exitCode = ExitCode.FAILURE;
        try {
            exitCode = startAll(started) ? awaitStop() : ExitCode.FAILURE;
            stopAll(started);
            return exitCode;
        } finally {
            ended.complete(exitCode);
            removeHook(hook);
        }
    }

    private boolean startAll(Deque<Started> started) {
        for (Part part : parts) {
            if (stopRequest.isDone()) {
                return true;
            }
            try {
                started.push(new Started(part.name(), part.starter().start()));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return false;
            } catch (Exception | Error failure) { // a missing class must not leave the other parts running
                log.atError()
                        .addKeyValue("error", String.valueOf(failure.getMessage()))
                        .log("{} cannot start: {}", name, part.name());
                log.atDebug().setCause(failure).log("Start failed");
                return false;
            }
        }
        return true;
    }

    private int awaitStop() {
        StopRequest request = stopRequest.join();
        log.atInfo().addKeyValue("reason", request.reason()).log("{} stops", name);
        return request.exitCode();
    }

    private void stopAll(Deque<Started> started) {
        while (!started.isEmpty()) {
            stop(started.pop());
        }
    }

    private void stop(Started part) {
        Thread closer = Thread.ofVirtual().name("stop-" + part.name()).start(() -> close(part));
        try {
            if (!closer.join(stopDeadline)) {
                log.atWarn()
                        .addKeyValue("limit", Durations.format(stopDeadline))
                        .log("{} did not stop in time and is abandoned", part.name());
                closer.interrupt();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Started part) {
        try {
            part.handle().close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception failure) {
            log.atWarn().setCause(failure).log("{} did not stop cleanly", part.name());
        }
    }

    /**
     * The JVM ends when its hooks are through, so this one waits until {@link #run} has stopped every part. It then halts,
     * since a JVM that ends by itself after SIGTERM answers 143, and users expect 0 from a process that stopped cleanly.
     */
    private void stopOnSignal(CompletableFuture<Integer> ended) {
        requestStop(ExitCode.OK, "signal");
        long limitMillis = stopDeadline.toMillis() * Math.max(1, parts.size()) + 1_000;
        try {
            Runtime.getRuntime().halt(ended.get(limitMillis, TimeUnit.MILLISECONDS));
        } catch (TimeoutException tooLate) {
            log.atError().log("{} did not stop in time", name);
            Runtime.getRuntime().halt(ExitCode.FAILURE);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyShuttingDown) {
            log.atTrace().log("Shutdown is under way");
        }
    }
}
