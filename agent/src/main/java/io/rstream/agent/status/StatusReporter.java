package io.rstream.agent.status;

import io.rstream.agent.connect.FailureText;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.TunnelEvent;
import io.rstream.process.Durations;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the tunnel object's status in step with what the agent sees. Events only replace what is to be said, so they never
 * wait; one virtual thread says it: the newest state, again after failures until it is written, and again when somebody
 * changed it. An object that says the right thing is not written, nor is one that another agent speaks for ({@link
 * ReportRules}). Each write is for the object as it was read. Thread-safe.
 *
 * <pre>
 *   resting --event or refresh time--> reading --differs--> applying --ok--> resting
 *                                       ^  | failure         |  | failure
 *                                       |  +---> pausing <---|--+
 *                                       |          | time is up, or a new event
 *                                       +----------+---------+ changed meanwhile
 * </pre>
 */
public final class StatusReporter implements Consumer<TunnelEvent>, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StatusReporter.class);

    /** How often in a row somebody else may be faster before there are pauses. */
    private static final int MOST_CONFLICTS = 2;

    private final StatusClient client;
    private final AgentIdentity agent;
    private final ReportRules rules;
    private final TunnelName tunnel;
    private final ReporterTimings timings;
    private final Clock clock;
    private final RandomGenerator random;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Guarded by the lock.
    private @Nullable Wanted wanted;
    private String targetError = "";
    private boolean written;
    private boolean closing;
    // The reporting thread's own.
    private Duration retry;
    private String lastProblem = "";
    private @Nullable TunnelStatus considered;

    private record Wanted(TunnelStatus status, String targetError) {}

    private StatusReporter(
            StatusClient client,
            AgentIdentity agent,
            TunnelName tunnel,
            ReporterTimings timings,
            Clock clock,
            RandomGenerator random) {
        this.client = client;
        this.agent = agent;
        this.rules = new ReportRules(agent);
        this.tunnel = tunnel;
        this.timings = timings;
        this.clock = clock;
        this.random = random;
        this.retry = timings.firstRetry();
        this.thread = Thread.ofVirtual().name("status-reporter").unstarted(this::run);
    }

    /**
     * Starts reporting; says nothing before the first event.
     *
     * @param client its calls; closed with the reporter
     * @param agent who reports
     * @param tunnel for log records
     */
    public static StatusReporter start(
            StatusClient client,
            AgentIdentity agent,
            TunnelName tunnel,
            ReporterTimings timings,
            Clock clock,
            RandomGenerator random) {
        StatusReporter reporter = new StatusReporter(client, agent, tunnel, timings, clock, random);
        reporter.thread.start();
        return reporter;
    }

    /**
     * Takes what happened. A new attempt after a failure is not reported: the cause of the failure stays visible until the
     * tunnel is online again.
     */
    @Override
    public void accept(TunnelEvent event) {
        TunnelStatus status = TunnelStatus.of(event, agent.pod());
        lock.lock();
        try {
            boolean again = event instanceof TunnelEvent.Connecting
                    && wanted != null
                    && !wanted.status().ready();
            if (!again) {
                want(new Wanted(status, targetError));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes whether the Service can be reached.
     *
     * @param error why not, or "" when it can
     */
    public void target(String error) {
        lock.lock();
        try {
            targetError = error;
            if (wanted != null) {
                want(new Wanted(wanted.status(), error));
            }
        } finally {
            lock.unlock();
        }
    }

    private void want(Wanted other) {
        if (!other.equals(wanted)) {
            wanted = other;
            written = false;
            changed.signalAll();
        }
    }

    /** Waits a little for the last report to be written, then stops. */
    @Override
    public void close() throws InterruptedException {
        lock.lock();
        try {
            closing = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (!thread.join(timings.farewell())) {
            tunnel.on(log.atWarn()).log("The last status could not be written in time");
            thread.interrupt();
            thread.join(timings.farewell());
        }
        client.close();
    }

    private void run() {
        try {
            Wanted said = next(null, timings.refresh());
            while (said != null) {
                said = next(said, report(said));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            tunnel.on(log.atError())
                    .addKeyValue("error", FailureText.ofFault(e))
                    .log("Status reporting ended unexpectedly");
        }
    }

    /**
     * Waits until there is something to do: at once for a state that was not tried yet, else after the pause, which is
     * short while closing.
     *
     * @return null when the work is done
     */
    private @Nullable Wanted next(@Nullable Wanted tried, Duration pause) throws InterruptedException {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!isDone() && wanted == null) {
                changed.await();
            }
            while (!isDone() && Objects.equals(wanted, tried) && left > 0) {
                left = changed.awaitNanos(
                        closing ? Math.min(left, timings.firstRetry().toNanos()) : left);
            }
            return isDone() ? null : wanted;
        } finally {
            lock.unlock();
        }
    }

    private boolean isDone() {
        return closing && (written || wanted == null);
    }

    /** Tries and says how long to rest. */
    private Duration report(Wanted saying) throws InterruptedException {
        try {
            boolean unsaid = say(saying);
            succeeded(saying);
            return unsaid ? timings.unsaid() : timings.refresh();
        } catch (StatusCallException e) {
            return failed(String.valueOf(e.getMessage()), e.isLasting());
        } catch (IOException e) {
            return failed(FailureText.of(e), false);
        } catch (RuntimeException e) {
            return failed(FailureText.ofFault(e), false);
        }
    }

    /** Says it again at once when somebody else was faster, unless that is no news; returns whether something stays unsaid. */
    private boolean say(Wanted saying) throws IOException, InterruptedException, StatusCallException {
        int most = lastProblem.isEmpty() ? MOST_CONFLICTS : 1;
        for (int conflicts = 1; ; conflicts++) {
            try {
                return sayOnce(saying);
            } catch (StatusCallException e) {
                if (!e.isConflict() || conflicts == most) {
                    throw e;
                }
            }
        }
    }

    private boolean sayOnce(Wanted saying) throws IOException, InterruptedException, StatusCallException {
        TunnelObject object = client.get();
        boolean isNews = ReportRules.isNews(saying.status(), considered);
        ReportRules.Decision decision =
                rules.decide(object, saying.status(), saying.targetError(), isNews, clock.instant());
        if (decision.report() != null) {
            object = client.apply(object, Report.MANAGER, decision.report());
        }
        if (decision.next() != null) {
            client.apply(object, NextReport.MANAGER, decision.next());
        }
        return decision.unsaid();
    }

    private void succeeded(Wanted said) {
        if (!lastProblem.isEmpty()) {
            tunnel.on(log.atInfo()).log("Status is written again");
        }
        lastProblem = "";
        retry = timings.firstRetry();
        considered = said.status();
        lock.lock();
        try {
            written = said.equals(wanted);
        } finally {
            lock.unlock();
        }
    }

    private Duration failed(String problem, boolean lasting) {
        Duration pause = lasting ? timings.longestRetry() : retry;
        retry = retry.multipliedBy(2).compareTo(timings.longestRetry()) < 0
                ? retry.multipliedBy(2)
                : timings.longestRetry();
        Duration jittered = Duration.ofNanos((long) (pause.toNanos() * (1 - random.nextDouble() / 4)));
        if (!problem.equals(lastProblem)) {
            tunnel.on(log.atWarn())
                    .addKeyValue("error", problem)
                    .addKeyValue("retry_in", Durations.format(Duration.ofMillis(jittered.toMillis())))
                    .log("Status could not be written; retrying");
        }
        lastProblem = problem;
        return jittered;
    }
}
