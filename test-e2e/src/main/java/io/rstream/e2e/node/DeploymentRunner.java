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
    private static final Duration GRACE = Duration.ofSeconds(30);

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
            if (!thread.join(GRACE.plusSeconds(10))) {
                log.atWarn().addKeyValue("name", thread.getName()).log("Local pods did not stop in time");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    Optional<JavaProcess> process() {
        return pods.isEmpty() ? Optional.empty() : pods.getLast().process();
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
            pods.forEach(pod -> pod.stop(GRACE));
        }
    }

    /** One pass; false at the end. What the API server refuses is tried again in the next one. */
    private boolean pass() {
        try {
            var wanted = wanted();
            if (wanted == null) {
                remove(List.copyOf(pods));
                return !end();
            }
            remove(pods.stream().filter(pod -> pod.isGone(cache)).toList());
            roll(wanted);
            pods.forEach(pod -> pod.step(Instant.now()));
            report.write(wanted, List.copyOf(pods), PodObject.templateHash(wanted));
        } catch (KubernetesClientException | IOException e) {
            log.atDebug().addKeyValue("error", e.getMessage()).log("A pass of the local node failed");
        }
        return true;
    }

    private void roll(Deployment wanted) throws IOException {
        var hash = PodObject.templateHash(wanted);
        var replicas = replicas(wanted);
        var recreate = "Recreate".equals(wanted.getSpec().getStrategy().getType());
        var old = new ArrayList<>(pods);
        old.removeIf(pod -> pod.templateHash().equals(hash));
        var current = new ArrayList<>(pods);
        current.removeAll(old);
        var currentReady = current.size() >= replicas && current.stream().allMatch(AgentPod::ready);
        if (recreate || replicas == 0 || currentReady) {
            remove(old);
        }
        while (current.size() > replicas) {
            remove(List.of(current.removeLast()));
        }
        for (var missing = replicas - current.size(); missing > 0; missing--) {
            pods.add(AgentPod.create(settings, services, wanted));
        }
    }

    private void remove(List<AgentPod> unwanted) {
        unwanted.forEach(AgentPod::terminate);
        for (var pod : unwanted) {
            pod.stop(GRACE);
            pod.deleteObject();
            pods.remove(pod);
        }
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
