package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.cache.Indexer;
import io.rstream.e2e.process.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the pods of one Deployment as it wants them, on a thread of its own: pass after pass, woken by changes and otherwise a few
 * times a second, since processes and probes have no events.
 */
final class DeploymentRunner {

    private static final Logger log = LoggerFactory.getLogger(DeploymentRunner.class);
    private static final Duration TICK = Duration.ofMillis(200);
    private static final Duration STOP = Duration.ofSeconds(45);
    private static final int SURGE = 1;

    private final NodeSettings settings;
    private final LocalServices services;
    private final Indexer<Pod> cache;
    private final DeploymentReport report;
    private final List<AgentPod> pods = new CopyOnWriteArrayList<>(); // Changed by the runner's thread only.
    private final Semaphore wakeUps = new Semaphore(0);
    private final Thread thread;
    private @Nullable Deployment desired; // Guarded by this; null once it is deleted.
    private boolean ended; // Guarded by this.
    private volatile boolean stopping;

    private DeploymentRunner(NodeSettings settings, LocalServices services, Indexer<Pod> cache, Deployment deployment) {
        this.settings = settings;
        this.services = services;
        this.cache = cache;
        this.desired = deployment;
        this.report = new DeploymentReport(settings.client());
        this.thread = Thread.ofVirtual()
                .name("deployment-" + deployment.getMetadata().getName())
                .unstarted(this::run);
    }

    static DeploymentRunner start(
            NodeSettings settings, LocalServices services, Indexer<Pod> cache, Deployment deployment) {
        var runner = new DeploymentRunner(settings, services, cache, deployment);
        runner.thread.start();
        return runner;
    }

    /** Takes a new state of the Deployment; false when this runner has ended and another one must take over. */
    synchronized boolean desire(Deployment deployment) {
        if (ended) {
            return false;
        }
        desired = deployment;
        wake();
        return true;
    }

    synchronized void desireNothing() {
        desired = null;
        wake();
    }

    void wake() {
        wakeUps.release();
    }

    void requestStop() {
        stopping = true;
        pods.forEach(AgentPod::terminate);
        wake();
    }

    void awaitStop() {
        try {
            if (!thread.join(STOP)) {
                log.atWarn().addKeyValue("name", thread.getName()).log("Local pods did not stop in time");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    Optional<JavaProcess> process() {
        return pods.reversed().stream()
                .filter(pod -> !pod.stopping())
                .findFirst()
                .flatMap(AgentPod::process);
    }

    private void run() {
        try {
            while (!stopping && pass()) {
                if (wakeUps.tryAcquire(TICK.toMillis(), TimeUnit.MILLISECONDS)) {
                    wakeUps.drainPermits();
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            pods.forEach(AgentPod::stop);
        }
    }

    /** One pass; false at the end. What the API server refuses is tried again in the next one. */
    private boolean pass() {
        try {
            var wanted = wanted();
            pods.stream().filter(pod -> wanted == null || pod.isGone(cache)).forEach(DeploymentRunner::stop);
            if (wanted != null) {
                roll(wanted);
            }
            pods.forEach(pod -> pod.step(Instant.now()));
            pods.removeIf(pod -> pod.finishStop(Instant.now()));
            if (wanted == null) {
                return !(pods.isEmpty() && end());
            }
            report.write(wanted, live(), PodObject.templateHash(wanted));
        } catch (KubernetesClientException | IOException e) {
            log.atDebug().addKeyValue("error", e.getMessage()).log("A pass of the local node failed");
        }
        return true;
    }

    private void roll(Deployment wanted) throws IOException {
        var hash = PodObject.templateHash(wanted);
        var replicas = replicas(wanted);
        var recreate = "Recreate".equals(wanted.getSpec().getStrategy().getType());
        var old = live();
        old.removeIf(pod -> pod.templateHash().equals(hash));
        if (recreate || replicas == 0) {
            old.forEach(DeploymentRunner::stop);
        } else {
            makeRoom(old, replicas);
        }
        var current = live();
        current.removeIf(pod -> !pod.templateHash().equals(hash));
        while (current.size() > replicas) {
            stop(current.removeLast());
        }
        var someAreOld = pods.stream().anyMatch(pod -> !pod.templateHash().equals(hash));
        while (current.size() < replicas && (recreate ? !someAreOld : live().size() < replicas + SURGE)) {
            var created = AgentPod.create(settings, services, wanted);
            pods.add(created);
            current.add(created);
        }
    }

    /**
     * Stops old pods as the Deployment controller does with maxUnavailable 0: those that serve nobody as far as the new ones
     * cannot need their place, those that serve as far as enough others do.
     */
    private void makeRoom(List<AgentPod> old, int replicas) {
        var all = live();
        var newAndUnready =
                all.stream().filter(pod -> !pod.ready() && !old.contains(pod)).count();
        var ready = all.stream().filter(AgentPod::ready).count();
        old.stream()
                .filter(pod -> !pod.ready())
                .limit(Math.max(0, all.size() - replicas - newAndUnready))
                .forEach(DeploymentRunner::stop);
        old.stream()
                .filter(AgentPod::ready)
                .limit(Math.max(0, ready - replicas))
                .forEach(DeploymentRunner::stop);
    }

    private List<AgentPod> live() {
        var live = new ArrayList<>(pods);
        live.removeIf(AgentPod::stopping);
        return live;
    }

    private static void stop(AgentPod pod) {
        pod.beginStop(Instant.now());
    }

    private synchronized @Nullable Deployment wanted() {
        return desired == null || desired.getMetadata().getDeletionTimestamp() != null ? null : desired;
    }

    private synchronized boolean end() {
        ended = desired == null;
        return ended;
    }

    private static int replicas(Deployment deployment) {
        var replicas = deployment.getSpec().getReplicas();
        return replicas == null ? 1 : replicas;
    }
}
