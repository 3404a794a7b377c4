package io.rstream.testcluster;

import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Stands in for the namespace controller: empties a namespace that is being deleted and then lets it go, so that a deletion ends
 * as it does on a whole cluster. Objects with finalizers stay until whoever put the finalizer takes it off.
 */
final class NamespaceRemoval implements AutoCloseable {

    private static final Duration RETRY = Duration.ofMillis(300);

    private final KubernetesClient client;
    private final ScheduledExecutorService worker = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("namespace-removal").factory());
    private final SharedIndexInformer<Namespace> namespaces;

    NamespaceRemoval(KubernetesClient client) {
        this.client = client;
        this.namespaces = client.namespaces().runnableInformer(0);
        namespaces.addEventHandler(new TerminatingNamespaces(this::enqueue));
        namespaces.start();
    }

    @Override
    public void close() {
        namespaces.stop();
        worker.shutdownNow();
    }

    private void enqueue(String namespace) {
        if (!worker.isShutdown()) {
            worker.execute(() -> remove(namespace));
        }
    }

    private void remove(String namespace) {
        try {
            var left = new ArrayList<String>();
            for (var path : contentPaths(namespace)) {
                client.raw(path, "DELETE", null);
                if (holdsAnything(path)) {
                    left.add(path);
                }
            }
            if (left.isEmpty()) {
                release(namespace);
                return;
            }
        } catch (KubernetesClientException _) {
            // The API server may be stopping or restarting: the retry below is the answer either way.
        }
        if (!worker.isShutdown()) {
            var _ = worker.schedule(() -> remove(namespace), RETRY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private boolean holdsAnything(String path) {
        var list = client.getKubernetesSerialization()
                .unmarshal(client.raw(path + "?limit=1"), GenericKubernetesResourceList.class);
        return !list.getItems().isEmpty();
    }

    private void release(String namespace) {
        var current = client.namespaces().withName(namespace).get();
        if (current == null) {
            return;
        }
        current.getSpec().setFinalizers(List.of());
        client.raw("/api/v1/namespaces/" + namespace + "/finalize", "PUT", current);
    }

    private List<String> contentPaths(String namespace) {
        var paths = new ArrayList<String>();
        addPaths(paths, "/api/v1", "v1", namespace);
        for (var group : client.getApiGroups().getGroups()) {
            var version = group.getPreferredVersion().getGroupVersion();
            addPaths(paths, "/apis/" + version, version, namespace);
        }
        return paths;
    }

    private void addPaths(List<String> paths, String root, String groupVersion, String namespace) {
        for (var resource : client.getApiResources(groupVersion).getResources()) {
            if (isContent(resource)) {
                paths.add(root + "/namespaces/" + namespace + "/" + resource.getName());
            }
        }
    }

    private static boolean isContent(APIResource resource) {
        return resource.getNamespaced()
                && !resource.getName().contains("/")
                && resource.getVerbs().contains("deletecollection")
                && resource.getVerbs().contains("list");
    }
}
