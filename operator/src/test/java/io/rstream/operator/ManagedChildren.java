package io.rstream.operator;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the operator has made in one namespace, found by its label. */
record ManagedChildren(KubernetesClient client, String namespace) {

    /** The kinds in the order in which the operator applies them, each after the group and version of its API. */
    static final List<String> KINDS = List.of(
            "v1 ConfigMap",
            "v1 ServiceAccount",
            "rbac.authorization.k8s.io/v1 Role",
            "rbac.authorization.k8s.io/v1 RoleBinding",
            "apps/v1 Deployment");

    List<GenericKubernetesResource> of(String kind) {
        var parts = kind.split(" ");
        return client.genericKubernetesResources(parts[0], parts[1])
                .inNamespace(namespace)
                .withLabel(WellKnown.LABEL_MANAGED_BY, WellKnown.APPLICATION_NAME)
                .list()
                .getItems();
    }

    /** Kind and name to version of all of them. */
    Map<String, String> versions() {
        return KINDS.stream()
                .flatMap(kind -> of(kind).stream()
                        .map(child -> Map.entry(
                                kind + " " + child.getMetadata().getName(),
                                child.getMetadata().getResourceVersion())))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, TreeMap::new));
    }
}
