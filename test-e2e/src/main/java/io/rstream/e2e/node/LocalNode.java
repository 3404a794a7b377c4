package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.rstream.e2e.process.JavaProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands in for the kubelet and the Deployment controller: runs the agent of each Deployment as a process of its own with its
 * ConfigMap, Secrets and token as files, probes it, starts it again when it dies, and reports Pod and Deployment status. Looks only
 * at Deployments labelled as agents. Safe for use from any thread.
 *
 * <p>Unlike a kubelet it shows changed ConfigMaps and Secrets to running pods within about a second, and it probes readiness more
 * often until the first success.
 */
public final class LocalNode implements AutoCloseable {

    private static final String COMPONENT_LABEL = "app.kubernetes.io/component";

    private final NodeSettings settings;
    private final LocalServices services;
    private final Map<String, DeploymentRunner> runners = new ConcurrentHashMap<>();
    private final SharedIndexInformer<Pod> pods;
    private final SharedIndexInformer<Deployment> deployments;
    private volatile boolean closing;

    private LocalNode(NodeSettings settings, LocalServices services) {
        this.settings = settings;
        this.services = services;
        var client = settings.client();
        this.pods = client.pods()
                .inAnyNamespace()
                .withLabel(PodObject.NODE_LABEL, PodObject.NODE)
                .inform(new PodChanges());
        this.deployments = client.apps()
                .deployments()
                .inAnyNamespace()
                .withLabel(COMPONENT_LABEL, PodObject.CONTAINER)
                .inform(new DeploymentChanges());
    }

    /** Starts a node; agents that are declared already start at once. */
    public static LocalNode start(NodeSettings settings, LocalServices services) {
        return new LocalNode(settings, services);
    }

    /** The process of the newest pod of a Deployment while it runs, for tests that break it. */
    public Optional<JavaProcess> process(String namespace, String deployment) {
        var runner = runners.get(key(namespace, deployment));
        return runner == null ? Optional.empty() : runner.process();
    }

    /** Where the log of each container start is, as {@code <pod>-<restart>.log}. */
    public Path logs() {
        return settings.directory();
    }

    /** Stops all agents and waits for their end; the objects stay. */
    @Override
    public void close() {
        closing = true;
        deployments.close();
        pods.close();
        var all = new ArrayList<>(runners.values());
        all.forEach(DeploymentRunner::requestStop);
        all.forEach(DeploymentRunner::awaitStop);
    }

    private void desire(Deployment deployment) {
        var metadata = deployment.getMetadata();
        runners.compute(key(metadata.getNamespace(), metadata.getName()), (_, runner) -> {
            if (closing || (runner != null && runner.desire(deployment))) {
                return runner;
            }
            return DeploymentRunner.start(settings, services, pods.getIndexer(), deployment);
        });
    }

    private void forget(Deployment deployment) {
        var metadata = deployment.getMetadata();
        var runner = runners.get(key(metadata.getNamespace(), metadata.getName()));
        if (runner != null) {
            runner.desireNothing();
        }
    }

    private static String key(String namespace, String name) {
        return namespace + "/" + name;
    }

    private final class DeploymentChanges implements ResourceEventHandler<Deployment> {

        @Override
        public void onAdd(Deployment deployment) {
            desire(deployment);
        }

        @Override
        public void onUpdate(Deployment before, Deployment deployment) {
            desire(deployment);
        }

        @Override
        public void onDelete(Deployment deployment, boolean unknownFinalState) {
            forget(deployment);
        }
    }

    private final class PodChanges implements ResourceEventHandler<Pod> {

        @Override
        public void onAdd(Pod pod) {
            // The node made it itself.
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            wakeAll();
        }

        @Override
        public void onDelete(Pod pod, boolean unknownFinalState) {
            wakeAll();
        }

        private void wakeAll() {
            runners.values().forEach(DeploymentRunner::wake);
        }
    }
}
