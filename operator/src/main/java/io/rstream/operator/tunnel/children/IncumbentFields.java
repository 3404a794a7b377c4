package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.FieldsV1;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a child that the Go operator has written. A server-side apply would leave those that ours does not state as if
 * they were somebody else's, such as the variable with the token: so before the first apply over them they are made ours. The
 * Go operator writes whole objects as the manager {@code manager}, the name of its binary, which other operators have as well;
 * an entry is taken for its own when it holds what only the operator of these objects writes.
 */
final class IncumbentFields {

    private static final String MANAGER = "manager";

    /** The label by which we know our own, the agent's image, the agent's configuration. */
    private static final List<List<String>> TELLTALES = List.of(
            List.of("f:metadata", "f:labels", "f:" + WellKnown.LABEL_MANAGED_BY),
            List.of(
                    "f:spec",
                    "f:template",
                    "f:spec",
                    "f:containers",
                    "k:{\"name\":\"" + AgentDeployment.CONTAINER + "\"}",
                    "f:image"),
            List.of("f:data", "f:" + AgentConfigMap.KEY));

    private IncumbentFields() {}

    /** Whether the child has such fields. */
    static boolean remainIn(HasMetadata child) {
        return child.getMetadata().getManagedFields().stream().anyMatch(IncumbentFields::isTheirs);
    }

    /**
     * Makes them ours; nothing else of the object changes.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException when the object has changed meanwhile, or the API server
     *     fails; worth another try
     */
    static void takeOver(HasMetadata child, KubernetesClient client) {
        var patch = List.of(
                Map.of("op", "replace", "path", "/metadata/managedFields", "value", owners(child)),
                Map.of(
                        "op",
                        "replace",
                        "path",
                        "/metadata/resourceVersion",
                        "value",
                        child.getMetadata().getResourceVersion()));
        client.resource(child)
                .patch(
                        PatchContext.of(PatchType.JSON),
                        client.getKubernetesSerialization().asJson(patch));
    }

    /** The owners of the child's fields as they are when theirs are ours. */
    static List<ManagedFieldsEntry> owners(HasMetadata child) {
        List<ManagedFieldsEntry> owners = new ArrayList<>();
        Map<String, Object> ours = new LinkedHashMap<>();
        @Nullable ManagedFieldsEntry first = null;
        for (var entry : child.getMetadata().getManagedFields()) {
            if (isTheirs(entry) || isOurs(entry)) {
                merge(ours, entry.getFieldsV1().getAdditionalProperties());
                first = first == null || isOurs(entry) ? entry : first;
            } else {
                owners.add(entry);
            }
        }
        if (first != null) {
            var fields = new FieldsV1();
            fields.setAdditionalProperties(ours);
            owners.add(new ManagedFieldsEntryBuilder(first)
                    .withManager(WellKnown.FIELD_MANAGER_OPERATOR)
                    .withOperation("Apply")
                    .withFieldsV1(fields)
                    .build());
        }
        return owners;
    }

    private static boolean isTheirs(ManagedFieldsEntry entry) {
        return MANAGER.equals(entry.getManager())
                && "Update".equals(entry.getOperation())
                && isOfTheObject(entry)
                && TELLTALES.stream().anyMatch(path -> holds(entry.getFieldsV1().getAdditionalProperties(), path));
    }

    private static boolean isOurs(ManagedFieldsEntry entry) {
        return WellKnown.FIELD_MANAGER_OPERATOR.equals(entry.getManager())
                && "Apply".equals(entry.getOperation())
                && isOfTheObject(entry);
    }

    private static boolean isOfTheObject(ManagedFieldsEntry entry) {
        return entry.getSubresource() == null || entry.getSubresource().isEmpty();
    }

    private static boolean holds(Map<String, Object> fields, List<String> path) {
        Object node = fields;
        for (var step : path) {
            if (!(node instanceof Map<?, ?> map) || !map.containsKey(step)) {
                return false;
            }
            node = map.get(step);
        }
        return true;
    }

    @SuppressWarnings("unchecked") // a set of fields is a tree of objects by definition
    private static void merge(Map<String, Object> into, Map<String, Object> from) {
        from.forEach((field, below) -> {
            var present = (Map<String, Object>) into.computeIfAbsent(field, _ -> new LinkedHashMap<String, Object>());
            merge(present, (Map<String, Object>) below);
        });
    }
}
