package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.cache.Indexer;
import io.rstream.agent.AgentMain;
import io.rstream.e2e.process.FreePorts;
import io.rstream.e2e.process.JavaLaunch;
import io.rstream.e2e.process.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One pod: its object in the API server and the process behind it. Only the thread of its Deployment changes it.
 *
 * <pre>
 *   Waiting --everything is there--> Running --process ended or liveness failed--> Waiting (CrashLoopBackOff)
 *      ^  something is missing, tried again        |                                     |
 *      +-------------------------------------------+--------------- pause over ----------+
 *
 *   any of them --beginStop()--> stopping: SIGTERM --process ended, or SIGKILL after the grace period--> gone
 * </pre>
 */
final class AgentPod {

    private static final Duration TRY_AGAIN = Duration.ofMillis(500);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration STABLE = Duration.ofMinutes(1);
    private static final Duration RENEWAL = Duration.ofSeconds(1);
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(30);
    private static final int EXIT_CODE_KILLED = 137;

    private record Running(
            JavaProcess process, Instant since, Optional<HttpProbe> readiness, Optional<HttpProbe> liveness) {}

    private final NodeSettings settings;
    private final LocalServices services;
    private final Pod pod;
    private final String templateHash;
    private final Path directory;
    private final PodToken token;
    private final ContainerReport report;
    private final PodVolumes volumes;

    private volatile @Nullable Running running;
    private volatile boolean ready;
    private ContainerReport.@Nullable Ended last;
    private ContainerReport.State.Waiting waiting = new ContainerReport.State.Waiting("ContainerCreating", "");
    private Instant nextStart = Instant.EPOCH;
    private Duration pause = Duration.ZERO;
    private int starts;
    private boolean seen;
    private Instant renewAt = Instant.EPOCH;
    private @Nullable Instant killAt; // Null unless it is stopping.

    private AgentPod(NodeSettings settings, LocalServices services, Pod pod, String templateHash, Path directory) {
        this.settings = settings;
        this.services = services;
        this.pod = pod;
        this.templateHash = templateHash;
        this.directory = directory;
        this.token = new PodToken(directory.resolve("serviceaccount"), settings.client(), pod);
        this.report = new ContainerReport(settings.client(), pod);
        this.volumes = new PodVolumes(
                directory.resolve("root"),
                new References(settings.client(), pod.getMetadata().getNamespace()));
    }

    static AgentPod create(NodeSettings settings, LocalServices services, Deployment deployment) throws IOException {
        var pod = settings.client().resource(PodObject.of(deployment)).create();
        var directory = Files.createTempDirectory(
                settings.directory(),
                "pod-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return new AgentPod(settings, services, pod, PodObject.templateHash(deployment), directory);
    }

    String templateHash() {
        return templateHash;
    }

    boolean ready() {
        return ready;
    }

    Optional<JavaProcess> process() {
        var now = running;
        return now == null ? Optional.empty() : Optional.of(now.process());
    }

    /** Whether somebody deleted the Pod object. */
    boolean isGone(Indexer<Pod> cache) {
        var stored = cache.getByKey(
                pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName());
        if (stored == null) {
            return seen;
        }
        seen = true;
        return stored.getMetadata().getDeletionTimestamp() != null;
    }

    /** Does what is due now and reports. */
    void step(Instant now) {
        var present = running;
        if (present != null) {
            watch(present, now);
        } else if (killAt == null && !now.isBefore(nextStart)) {
            start(now);
        }
        var state = running;
        report.write(
                state == null ? waiting : new ContainerReport.State.Running(state.since(), ready),
                Math.max(0, starts - 1),
                last);
    }

    /** Begins to stop it, as a deletion of its object does: SIGTERM now, SIGKILL when the grace period is over. */
    void beginStop(Instant now) {
        if (killAt != null) {
            return;
        }
        killAt = now.plus(grace());
        terminate();
        deleteObject(grace());
    }

    /** Whether it is on its way out; it counts for nothing then. */
    boolean stopping() {
        return killAt != null;
    }

    /** Whether a pod that is stopping has gone, with its files and its object. */
    boolean finishStop(Instant now) {
        if (killAt == null) {
            return false;
        }
        var present = running;
        if (present != null && present.process().alive()) {
            if (now.isBefore(killAt)) {
                return false;
            }
            present.process().kill();
        }
        running = null;
        ready = false;
        deleteDirectory();
        deleteObject(Duration.ZERO);
        return true;
    }

    private Duration grace() {
        var seconds = pod.getSpec().getTerminationGracePeriodSeconds();
        return seconds == null ? DEFAULT_GRACE : Duration.ofSeconds(seconds);
    }

    /** Asks the process to end and does not wait. */
    void terminate() {
        process().ifPresent(JavaProcess::terminate);
    }

    /** Ends the process, in order within the grace period or by force, and removes its files; the object stays. */
    void stop() {
        ready = false;
        process().ifPresent(process -> {
            end(process, grace());
            running = null;
        });
        deleteDirectory();
    }

    private void deleteObject(Duration grace) {
        settings.client()
                .pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .withGracePeriod(grace.toSeconds())
                .delete();
    }

    private void watch(Running present, Instant now) {
        if (!present.process().alive() && killAt == null) {
            ended(present, present.process().awaitExit(Duration.ofSeconds(5)), now);
            return;
        }
        if (killAt == null
                && present.liveness().isPresent()
                && !present.liveness().get().step(now)) {
            end(present.process(), grace());
            ended(present, EXIT_CODE_KILLED, now);
            return;
        }
        ready = present.readiness().map(probe -> probe.step(now)).orElse(true);
        renew(now);
    }

    private void renew(Instant now) {
        if (now.isBefore(renewAt)) {
            return;
        }
        renewAt = now.plus(RENEWAL);
        try {
            volumes.renew();
            token.renewWhenDue(now);
        } catch (NotYetException | IOException | KubernetesClientException _) {
            // What is there serves a while longer, and the next step tries again.
        }
    }

    private void ended(Running ended, int exitCode, Instant now) {
        running = null;
        ready = false;
        last = new ContainerReport.Ended(exitCode, ended.since(), now);
        if (ended.since().plus(STABLE).isBefore(now)) {
            pause = Duration.ZERO;
        }
        nextStart = now.plus(pause);
        waiting = new ContainerReport.State.Waiting(
                "CrashLoopBackOff", "back-off %s restarting failed container=agent".formatted(pause));
        pause = pause.isZero() ? FIRST_PAUSE : min(pause.multipliedBy(2), LONGEST_PAUSE);
    }

    private void start(Instant now) {
        try {
            var container = container();
            volumes.write(pod, container);
            token.write(settings.apiServerCa());
            var port = FreePorts.run(1);
            var launch = launch(container, port);
            running = new Running(
                    JavaProcess.start(launch),
                    now,
                    probe(container.getReadinessProbe(), port, now, false),
                    probe(container.getLivenessProbe(), port, now, true));
            starts++;
        } catch (NotYetException e) {
            waiting = new ContainerReport.State.Waiting(e.reason(), String.valueOf(e.getMessage()));
            nextStart = now.plus(TRY_AGAIN);
        } catch (IOException e) {
            waiting = new ContainerReport.State.Waiting("CreateContainerError", String.valueOf(e.getMessage()));
            nextStart = now.plus(TRY_AGAIN);
        }
    }

    private JavaLaunch launch(Container container, int port) throws NotYetException {
        var environment = new PodEnvironment(
                new References(settings.client(), pod.getMetadata().getNamespace()), pod);
        var arguments = new ArrayList<String>();
        for (var argument : container.getArgs()) {
            arguments.add(
                    argument.startsWith("--health-bind-address")
                            ? "--health-bind-address=127.0.0.1:" + port
                            : volumes.withRealPaths(argument));
        }
        arguments.add("--service-account-directory=" + token.directory());
        arguments.add("--mount-root=" + volumes.root());
        var flags = new ArrayList<>(settings.jvmFlags());
        flags.add("-Djdk.net.hosts.file=" + services.hostsFile());
        var launch = JavaLaunch.of(
                        pod.getMetadata().getName() + "-" + starts,
                        AgentMain.class.getName(),
                        arguments.toArray(String[]::new))
                .withJvmFlags(flags)
                .withFolder(settings.directory());
        launch = launch.withEnvironment("SSL_CERT_FILE", settings.engineCaFile().toString());
        for (var variable : environment.of(container).entrySet()) {
            launch = launch.withEnvironment(variable.getKey(), volumes.withRealPaths(variable.getValue()));
        }
        return launch.withEnvironment(
                        "KUBERNETES_SERVICE_HOST", settings.apiServer().getHost())
                .withEnvironment(
                        "KUBERNETES_SERVICE_PORT",
                        String.valueOf(settings.apiServer().getPort()));
    }

    private Container container() {
        return pod.getSpec().getContainers().stream()
                .filter(container -> container.getName().equals(PodObject.CONTAINER))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "pod " + pod.getMetadata().getName() + " has no container named agent"));
    }

    private static Optional<HttpProbe> probe(@Nullable Probe probe, int port, Instant started, boolean passing) {
        return probe == null || probe.getHttpGet() == null
                ? Optional.empty()
                : Optional.of(new HttpProbe(probe, port, started, passing));
    }

    private static void end(JavaProcess process, Duration grace) {
        process.terminate();
        try {
            process.awaitExit(grace);
        } catch (IllegalStateException _) {
            process.kill();
        }
    }

    private void deleteDirectory() {
        if (!Files.exists(directory)) {
            return;
        }
        try (var files = Files.walk(directory)) {
            List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (var file : all) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove the files of a pod: " + e.getMessage(), e);
        }
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
