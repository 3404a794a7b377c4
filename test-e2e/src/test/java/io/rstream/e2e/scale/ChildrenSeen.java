package io.rstream.e2e.scale;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Every child that ever appeared, by watches: its name with each UID that it had, and its last generation. */
final class ChildrenSeen implements AutoCloseable {

    static final List<Class<? extends HasMetadata>> KINDS =
            List.of(ConfigMap.class, ServiceAccount.class, Role.class, RoleBinding.class, Deployment.class);

    private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
    private final Map<String, Set<String>> uids = new ConcurrentHashMap<>();
    private final Map<String, Long> generations = new ConcurrentHashMap<>();
    private final AtomicInteger deleted = new AtomicInteger();

    ChildrenSeen(KubernetesClient client, String namespace) {
        KINDS.forEach(kind -> informers.add(watch(client, namespace, kind)));
    }

    private <R extends HasMetadata> SharedIndexInformer<R> watch(
            KubernetesClient client, String namespace, Class<R> kind) {
        return client.resources(kind)
                .inNamespace(namespace)
                .withLabel(WellKnown.LABEL_MANAGED_BY, WellKnown.APPLICATION_NAME)
                .inform(new ResourceEventHandler<>() {
                    @Override
                    public void onAdd(R child) {
                        note(child);
                    }

                    @Override
                    public void onUpdate(R before, R child) {
                        note(child);
                    }

                    @Override
                    public void onDelete(R child, boolean unknownFinalState) {
                        deleted.incrementAndGet();
                    }
                });
    }

    private void note(HasMetadata child) {
        var key = child.getKind() + " " + child.getMetadata().getName();
        uids.computeIfAbsent(key, _ -> ConcurrentHashMap.newKeySet())
                .add(child.getMetadata().getUid());
        if (child.getMetadata().getGeneration() != null) {
            generations.put(key, child.getMetadata().getGeneration());
        }
    }

    /** UIDs by kind and name. */
    Map<String, Set<String>> uids() {
        return uids;
    }

    /** Generations by kind and name, of kinds that have one. */
    Map<String, Long> generations() {
        return generations;
    }

    int deleted() {
        return deleted.get();
    }

    @Override
    public void close() {
        informers.forEach(SharedIndexInformer::close);
    }
}
