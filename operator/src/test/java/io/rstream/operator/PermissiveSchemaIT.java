package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.CustomResource;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Definitions that let everything through: one bad object must not stop the others. */
class PermissiveSchemaIT {

    private static final String BAD_TUNNEL = "{target: {service: {name: web, port: 99999999999}}}";

    private static LocalCluster cluster;
    private static String namespace;

    @BeforeAll
    static void installPermissiveDefinitions() {
        cluster = PermissiveCluster.start();
        namespace = cluster.createNamespace("permissive");
        create("RstreamTunnel", "accepted", BAD_TUNNEL);
        create("RstreamConnection", "listed", "{engine: 'e.example.com:443', tokenSecretRef: {name: s}}");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void goesOnWithOtherObjectsBesideUnreadableOnes() throws IOException {
        List<String> failures = new CopyOnWriteArrayList<>();
        try (var _ = OperatorProcess.start(cluster.config(), OperatorOptions.local("agent:1"), failures::add)) {
            assertInvalid(RstreamTunnel.class, "accepted", "spec.target.service.port 99999999999");
            assertInvalid(RstreamConnection.class, "listed", "spec.tokenSecretRef");

            create("RstreamTunnel", "watched", "{target: {service: {name: web, port: 80}}, protocol: webtty}");
            create("RstreamTunnel", "typed", "{target: {service: {name: web, port: 80}}, publish: [yes]}");
            create("RstreamTunnel", "numbers", "{target: {service: {name: web, port: 80}}, agent: {replicas: 1e30}}");
            create("RstreamConnection", "watched", "{engine: 'e.example.com:443', transport: {mode: udp}}");
            create("RstreamTunnel", "good", "{target: {service: {name: web, port: 80}}}");

            assertInvalid(RstreamTunnel.class, "watched", "spec.protocol \"webtty\"");
            assertInvalid(RstreamTunnel.class, "typed", "spec.publish");
            assertInvalid(RstreamTunnel.class, "numbers", "spec.agent.replicas 1.0E30");
            assertInvalid(RstreamConnection.class, "watched", "spec.transport.mode \"udp\"");
            eventually(() -> assertThat(ready(RstreamTunnel.class, "good"))
                    .startsWith("ConnectionMissing: RstreamConnection \"default\" was not found"));
            cluster.client()
                    .resources(RstreamTunnel.class)
                    .inNamespace(namespace)
                    .withName("accepted")
                    .delete();
            eventually(() -> assertThat(cluster.client()
                            .resources(RstreamTunnel.class)
                            .inNamespace(namespace)
                            .withName("accepted")
                            .get())
                    .isNull());
            assertThat(failures).isEmpty();
        }
    }

    private static <R extends CustomResource<?, ?>> void assertInvalid(
            Class<R> kind, String name, String pathAndValue) {
        var path = pathAndValue.split(" ")[0];
        var field = kind.getSimpleName().toLowerCase(java.util.Locale.ROOT) + "." + path;
        eventually(() -> assertThat(ready(kind, name))
                .startsWith("InvalidSpec: %s is not a value that the field takes; kubectl explain %s says what it takes"
                        .formatted(pathAndValue, field)));
    }

    private static <R extends CustomResource<?, ?>> String ready(Class<R> kind, String name) {
        var object = cluster.client()
                .resources(kind)
                .inNamespace(namespace)
                .withName(name)
                .get();
        List<Condition> conditions = switch (object) {
            case RstreamTunnel tunnel -> tunnel.observed().conditions();
            case RstreamConnection connection -> connection.observed().conditions();
            default -> List.of();
        };
        return conditions.stream()
                .filter(condition -> condition.type().equals("Ready"))
                .map(condition -> condition.reason() + ": " + condition.message())
                .findFirst()
                .orElse("");
    }

    private static void create(String kind, String name, String spec) {
        var object = cluster.client()
                .getKubernetesSerialization()
                .unmarshal("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: %s
                metadata: {name: %s, namespace: %s}
                spec: %s
                """.formatted(kind, name, namespace, spec), GenericKubernetesResource.class);
        cluster.client().resource(object).create();
    }
}
