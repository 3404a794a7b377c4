package io.rstream.operator.controlplane;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One look-up for each connection: its answer, when it is worth asking again, and asking without holding anybody up. A pass
 * over a connection asks {@link #isDue}, begins a look-up if so, and goes on; when the answer is there the connection is woken.
 * An answer stays while later look-ups fail for passing reasons. Thread-safe.
 */
public final class LookUps implements ProjectAnswers, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LookUps.class);

    private static final int AT_ONCE = 4;
    private static final Duration BETWEEN = Duration.ofMillis(100);
    private static final Duration LOST_WAKE_UP = Duration.ofMinutes(1);
    private static final Duration SHORTEST = Duration.ofMillis(100);

    private final ProjectSource source;
    private final ExecutorService threads;
    private final InstantSource clock;
    private final LookUpPauses pauses;
    private final HostLimits limits = new HostLimits(AT_ONCE, BETWEEN, System::nanoTime);
    private final Map<ResourceID, LookUp> all = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private volatile Consumer<ResourceID> wake = _ -> {};

    /**
     * No look-ups yet.
     *
     * @param threads one thread for each look-up, virtual; stopped by {@link #close}
     * @param random numbers from 0 (inclusive) to 1 (exclusive)
     */
    public LookUps(ControlPlaneClient client, ExecutorService threads, InstantSource clock, DoubleSupplier random) {
        this((ProjectSource) client, threads, clock, random);
    }

    LookUps(ProjectSource source, ExecutorService threads, InstantSource clock, DoubleSupplier random) {
        this.source = source;
        this.threads = threads;
        this.clock = clock;
        this.pauses = new LookUpPauses(random);
    }

    /** Whom to tell about connections whose look-up has ended, whatever the outcome. */
    public void onEnd(Consumer<ResourceID> listener) {
        wake = listener;
    }

    @Override
    public Answer of(ResourceID connection, LookUpTarget target) {
        var known = all.get(connection);
        return known == null || !known.target().equals(target)
                ? new Answer.Pending(false)
                : known.answer(clock.instant());
    }

    /**
     * Whether a connection's pass should read the credentials and begin.
     *
     * @param secretVersions changes with each change of a Secret that the credentials come from
     */
    public boolean isDue(ResourceID connection, LookUpTarget target, String secretVersions) {
        var known = all.get(connection);
        return known == null
                || !known.target().equals(target)
                || !known.secretVersions().equals(secretVersions)
                || known.isDue(clock.instant());
    }

    /** Begins a look-up, unless the credentials are the same as those of an answer that is still good. */
    public void begin(ResourceID connection, LookUpTarget target, String secretVersions, Credentials credentials) {
        var digest = credentials.digest();
        all.compute(connection, (_, known) -> {
            var now = clock.instant();
            if (known != null && known.isFor(target, digest) && !known.isDue(now)) {
                return known.withSecretVersions(secretVersions);
            }
            if (known != null) {
                known.cancel();
            }
            var number = numbers.incrementAndGet();
            var running = threads.submit(() -> run(connection, number, target, credentials));
            return LookUp.next(known, target, secretVersions, digest, now).running(number, running);
        });
    }

    /** How long until the connection should be passed over again. */
    public Duration untilNext(ResourceID connection) {
        var known = all.get(connection);
        if (known == null) {
            return LOST_WAKE_UP;
        }
        var now = clock.instant();
        var pause = Duration.between(now, known.next(now, LOST_WAKE_UP));
        return pause.compareTo(SHORTEST) < 0 ? SHORTEST : pause;
    }

    /** The connection is gone, or needs no look-up any more. */
    public void forget(ResourceID connection) {
        var known = all.remove(connection);
        if (known != null) {
            known.cancel();
        }
    }

    /** Ends all look-ups that are under way. */
    @Override
    public void close() {
        threads.shutdownNow();
    }

    private void run(ResourceID connection, long number, LookUpTarget target, Credentials credentials) {
        try (var _ = limits.enter(target.authority())) {
            var project = source.lookUp(target, credentials);
            end(
                    connection,
                    number,
                    null,
                    known -> known.found(project, clock.instant().plus(pauses.untilRefresh())));
        } catch (LookUpException failure) {
            end(connection, number, failure, known -> failed(known, failure));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt(); // Nobody waits for this answer any more.
        } catch (RuntimeException defect) {
            log.atError()
                    .setCause(defect)
                    .addKeyValue("controlPlane", target.apiUrl())
                    .log("A look-up broke off");
            var failure = new LookUpException(
                    "defect",
                    false,
                    "resolve %s: internal error, see the operator's log"
                            .formatted(target.selector().wording()));
            end(connection, number, failure, known -> failed(known, failure));
        }
    }

    private LookUp failed(LookUp known, LookUpException failure) {
        var now = clock.instant();
        return failure.isPermanent()
                ? known.refused(failure, now.plus(pauses.untilRefresh()))
                : known.failed(failure, now.plus(pauses.afterFailures(known.failures())));
    }

    private interface Outcome {
        LookUp of(LookUp known);
    }

    private void end(ResourceID connection, long number, @Nullable LookUpException failure, Outcome outcome) {
        var ended =
                all.computeIfPresent(connection, (_, known) -> known.number() == number ? outcome.of(known) : known);
        if (ended != null && ended.number() == number) {
            logRarely(connection, ended, failure);
            wake.accept(connection);
        }
    }

    /** The first of several failures in a row; the others change nothing. */
    private static void logRarely(ResourceID connection, LookUp ended, @Nullable LookUpException failure) {
        if (failure == null) {
            return;
        }
        var level = ended.failures() == 1 ? log.atWarn() : log.atDebug();
        level.addKeyValue("namespace", connection.getNamespace().orElse(""))
                .addKeyValue("name", connection.getName())
                .addKeyValue("error", failure.sentence())
                .log(
                        ended.hasProject()
                                ? "The project of a connection could not be looked up again; the last answer stays in use"
                                : "The project of a connection could not be looked up");
    }
}
