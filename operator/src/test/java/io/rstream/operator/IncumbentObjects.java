package io.rstream.operator;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.operator.tunnel.AgentNames;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The files of {@code src/test/resources/adoption} in a namespace of a real cluster, written as the Go operator writes: plain
 * creations and whole updates by a manager called {@code manager}, since that is the name of its binary.
 */
record IncumbentObjects(KubernetesClient client, String namespace) {

    static final String MANAGER = "manager";

    private static final Path FOLDER = Path.of("src/test/resources/adoption");
    private static final List<String> OVERWRITTEN = List.of("data", "rules", "roleRef", "subjects");
    private static final List<String> OVERWRITTEN_IN_SPEC = List.of("replicas", "strategy", "selector", "template");

    /** Creates everything, as the incumbent does over time, and returns the tunnel. */
    RstreamTunnel create() {
        load("references.yaml", "uid-1")
                .forEach(object -> client.resource(object).create());
        var wanted = tunnel("uid-1");
        send("POST", wanted, wanted, "");
        var tunnel = client.resource(wanted).get();
        tunnel.setStatus(tunnel(tunnel.getMetadata().getUid()).getStatus());
        send("PUT", tunnel, tunnel, "/status");
        children(tunnel).forEach(child -> send("POST", child, child, ""));
        return client.resource(tunnel).get();
    }

    /** The children as the incumbent states them for this tunnel. */
    List<HasMetadata> children(RstreamTunnel tunnel) {
        return load("children.yaml", tunnel.getMetadata().getUid());
    }

    /** Overwrites the children as the incumbent does in each pass: what it knows wholly, the rest of the object as it is. */
    void reconcile(RstreamTunnel tunnel) {
        children(tunnel).forEach(child -> {
            var wanted = generic(child);
            var present = client.genericKubernetesResources(child.getApiVersion(), child.getKind())
                    .inNamespace(namespace)
                    .withName(child.getMetadata().getName())
                    .get();
            present.getMetadata().setLabels(wanted.getMetadata().getLabels());
            present.getMetadata().setOwnerReferences(wanted.getMetadata().getOwnerReferences());
            OVERWRITTEN.stream()
                    .filter(wanted.getAdditionalProperties()::containsKey)
                    .forEach(field -> present.setAdditionalProperty(field, wanted.get(field)));
            if (wanted.get("spec") instanceof Map<?, ?>) {
                Map<String, Object> spec = present.get("spec");
                OVERWRITTEN_IN_SPEC.forEach(field -> spec.put(field, wanted.get("spec", field)));
            }
            send("PUT", child, present, "");
        });
    }

    private void send(String method, HasMetadata object, Object body, String subresource) {
        var root = object.getApiVersion().contains("/") ? "/apis/" : "/api/";
        var one = method.equals("PUT") ? "/" + object.getMetadata().getName() + subresource : "";
        client.raw(
                "%s%s/namespaces/%s/%s%s?fieldManager=%s"
                        .formatted(root, object.getApiVersion(), namespace, object.getPlural(), one, MANAGER),
                method,
                body);
    }

    /** What other people may add to an object of the incumbent's. */
    void decorate(HasMetadata object, String more) {
        client.genericKubernetesResources(object.getApiVersion(), object.getKind())
                .inNamespace(namespace)
                .withName(object.getMetadata().getName())
                .patch(
                        new PatchContext.Builder()
                                .withPatchType(PatchType.JSON_MERGE)
                                .withFieldManager("kubectl-edit")
                                .build(),
                        "{\"metadata\":{\"annotations\":{\"example.com/note\":\"kept\"},\"labels\":{\"team\":\"blue\"}}%s}"
                                .formatted(more));
    }

    private GenericKubernetesResource generic(HasMetadata object) {
        var serialization = client.getKubernetesSerialization();
        return serialization.unmarshal(serialization.asYaml(object), GenericKubernetesResource.class);
    }

    private RstreamTunnel tunnel(String uid) {
        return client.getKubernetesSerialization().unmarshal(text("tunnel.yaml", uid), RstreamTunnel.class);
    }

    private List<HasMetadata> load(String file, String uid) {
        return client.load(new ByteArrayInputStream(text(file, uid).getBytes(StandardCharsets.UTF_8)))
                .items();
    }

    private String text(String file, String uid) {
        try {
            return Files.readString(FOLDER.resolve(file))
                    .replace("rstream-web-50c45a43", AgentNames.childBaseName(namespace, "web", uid))
                    .replace("uid-1", uid)
                    .replace("namespace: demo", "namespace: " + namespace)
                    .replace("web.demo.svc", "web." + namespace + ".svc")
                    .replace("demo-web", AgentNames.rstreamName(namespace, "web"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    /** Whether somebody else's label and annotation are still on the object. */
    static boolean isDecorated(HasMetadata object) {
        return "kept".equals(object.getMetadata().getAnnotations().get("example.com/note"))
                && "blue".equals(object.getMetadata().getLabels().get("team"));
    }

    /** Name of the manager that is to own what it states after an adoption. */
    static boolean isOwnedByUs(HasMetadata object) {
        return object.getMetadata().getManagedFields().stream()
                .anyMatch(entry -> entry.getManager().equals(WellKnown.FIELD_MANAGER_OPERATOR)
                        && "Apply".equals(entry.getOperation()));
    }
}
