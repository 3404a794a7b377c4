package io.rstream.operator;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.testcluster.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A cluster whose definitions let everything through, as older ones, or a deleted webhook, may have done. */
final class PermissiveCluster {

    private PermissiveCluster() {}

    static LocalCluster start() {
        var cluster = LocalCluster.start();
        cluster.installCrds();
        cluster.client()
                .resources(CustomResourceDefinition.class)
                .list()
                .getItems()
                .forEach(definition -> {
                    var version = definition.getSpec().getVersions().getFirst();
                    version.getSchema()
                            .setOpenAPIV3Schema(new JSONSchemaPropsBuilder()
                                    .withType("object")
                                    .withXKubernetesPreserveUnknownFields(true)
                                    .build());
                    cluster.client().resource(definition).update();
                });
        var namespace = cluster.createNamespace("permissive");
        List.of("RstreamTunnel", "RstreamConnection").forEach(kind -> awaitPermissive(cluster, namespace, kind));
        return cluster;
    }

    /** A definition is in force a moment after its update. */
    private static void awaitPermissive(LocalCluster cluster, String namespace, String kind) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .ignoreException(KubernetesClientException.class)
                .untilAsserted(() -> cluster.client()
                        .resource(object(namespace, kind, "probe", Map.of("spec", Map.of("agent", "none"))))
                        .dryRun()
                        .create());
    }

    /** An object with the given parts, none of which is looked at. */
    static GenericKubernetesResource object(String namespace, String kind, String name, Map<String, Object> parts) {
        return new GenericKubernetesResourceBuilder()
                .withApiVersion(WellKnown.API_VERSION)
                .withKind(kind)
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withAdditionalProperties(parts)
                .build();
    }
}
