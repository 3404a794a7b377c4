package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.rstream.testcluster.LocalCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a real API server makes of the definitions: names, columns, defaults, strict validation. */
class SchemaIT {

    private static final Path RESOURCES = Path.of("src/test/resources");

    @TempDir
    private static Path directory;

    private static LocalCluster cluster;
    private static Kubectl kubectl;
    private String namespace;

    @BeforeAll
    static void installDefinitions() {
        cluster = LocalCluster.shared();
        cluster.installCrds();
        kubectl = new Kubectl(cluster, directory);
    }

    @BeforeEach
    void createNamespace() {
        namespace = cluster.createNamespace("schema");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rstreamconnections", "rstreamconnection", "rconn"})
    @Tag("parity-1")
    @Tag("parity-3")
    void listsConnectionsUnderEachNameWithItsColumns(String name) {
        create(new RstreamConnection(), "engine: e.example.com\ntokenSecretRef: {name: s, key: k}");

        var table = kubectl.run("-n", namespace, "get", name);

        assertThat(table.lines().findFirst().orElseThrow().trim().split("\\s+"))
                .containsExactly("NAME", "PROJECT", "ENGINE", "READY", "AGE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rstreamtunnels", "rstreamtunnel", "tunnel", "rtun", "rtunnel"})
    @Tag("parity-2")
    @Tag("parity-4")
    void listsTunnelsUnderEachNameWithItsColumns(String name) {
        create(new RstreamTunnel(), "target: {service: {name: web, port: http}}");

        var table = kubectl.run("-n", namespace, "get", name);

        assertThat(table.lines().findFirst().orElseThrow().trim().split("\\s+"))
                .containsExactly("NAME", "READY", "PROTOCOL", "TARGET", "ADDRESS", "AGE");
    }

    @Test
    @Tag("parity-1")
    @Tag("parity-2")
    void listsBothKindsUnderTheirCategory() {
        create(new RstreamConnection(), "engine: e.example.com\ntokenSecretRef: {name: s, key: k}");
        create(new RstreamTunnel(), "target: {service: {name: web, port: http}}");

        var names = kubectl.run("-n", namespace, "get", "rstream", "-o", "name");

        assertThat(names.lines())
                .containsExactlyInAnyOrder(
                        "rstreamconnection.tunnels.rstream.io/it", "rstreamtunnel.tunnels.rstream.io/it");
    }

    @Test
    @Tag("parity-5")
    void takesEveryDocumentedFieldUnderStrictValidation() {
        var output = kubectl.run(
                "-n",
                namespace,
                "apply",
                "--validate=strict",
                "-f",
                RESOURCES.resolve("every-field").toString());

        assertThat(output.lines()).hasSize(5).allMatch(line -> line.endsWith(" created"));
        assertThat(stored("rtun", "everything").at("/spec"))
                .isEqualTo(sent("every-field/tunnel.yaml", "RstreamTunnel"));
    }

    @Test
    @Tag("parity-6")
    void storesTheDefaultControlPlane() {
        create(new RstreamConnection(), "projectEndpoint: abc\ntokenSecretRef: {name: s, key: k}");

        var spec = stored("rconn", "it").get("spec");

        assertThat(spec.path("apiURL").asText()).isEqualTo("https://rstream.io");
    }

    @Test
    @Tag("parity-7")
    void storesTheDefaultsOfATransport() {
        create(new RstreamConnection(), """
                engine: e.example.com
                tokenSecretRef: {name: s, key: k}
                transport: {bind: {}}
                """);

        var transport = stored("rconn", "it").at("/spec/transport");

        assertThat(transport.toString()).isEqualTo("{\"bind\":{\"mode\":\"address\"},\"ipFamily\":\"auto\"}");
    }

    @Test
    @Tag("parity-8")
    void storesTheDefaultsOfATunnel() {
        create(new RstreamTunnel(), "target: {service: {name: web, port: http}}");

        var spec = stored("rtun", "it").get("spec");

        assertThat(spec.path("publish")).isEqualTo(BooleanNode.TRUE);
        assertThat(spec.path("protocol").asText()).isEqualTo("http");
        assertThat(spec.properties()).hasSize(3);
    }

    @Test
    @Tag("parity-9")
    void storesTheDefaultsOfHttpAndAgent() {
        create(new RstreamTunnel(), "target: {service: {name: web, port: http}}\nhttp: {}\nagent: {}");

        var spec = stored("rtun", "it").get("spec");

        assertThat(spec.get("http").toString()).isEqualTo("{\"version\":\"http/1.1\"}");
        assertThat(spec.get("agent").toString()).isEqualTo("{\"replicas\":1}");
    }

    @Test
    @Tag("parity-22")
    void keepsThePortsFormAsNumberOrName() {
        create(new RstreamTunnel(), "target: {service: {name: web, port: 8080}}");
        create(new RstreamTunnel(), "quoted", "target: {service: {name: web, port: '8080'}}");

        var port = stored("rtun", "it").at("/spec/target/service/port");
        var quoted = stored("rtun", "quoted").at("/spec/target/service/port");

        assertThat(port.isInt()).isTrue();
        assertThat(quoted.isTextual()).isTrue();
    }

    @Test
    void installsThroughKustomize() {
        var crds = LocalCluster.repositoryRoot().resolve("config/crd").toString();

        var output = kubectl.run("apply", "--server-side", "--dry-run=server", "--force-conflicts", "-k", crds);

        assertThat(output).contains("rstreamconnections.tunnels.rstream.io", "rstreamtunnels.tunnels.rstream.io");
    }

    @Test
    void explainsItsFields() {
        var text = kubectl.run("explain", "rstreamtunnel.spec.target.service.port");

        assertThat(text).contains("its name as a string or its number");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Affinity agent/affinity", "Toleration agent/tolerations", "ResourceRequirements agent/resources"
            })
    @Tag("parity-5")
    void hasTheSchemasOfTheApiServerForCoreTypes(String typeAndPath) {
        var parts = typeAndPath.split(" ");
        var types = json(cluster.client().raw("/openapi/v3/api/v1")).at("/components/schemas");
        var ours = json(cluster.client().raw("/openapi/v3/apis/tunnels.rstream.io/v1alpha1"))
                .at("/components/schemas/io.rstream.tunnels.v1alpha1.RstreamTunnel/properties/spec/properties")
                .at("/" + parts[1].replace("/", "/properties/"));

        var differences = new SchemaComparison(types)
                .differences(ours.has("items") ? ours.get("items") : ours, types.get("io.k8s.api.core.v1." + parts[0]));

        assertThat(differences).isEmpty();
    }

    private void create(RstreamConnection connection, String spec) {
        connection.setMetadata(
                new ObjectMetaBuilder().withName("it").withNamespace(namespace).build());
        connection.setSpec(Yaml.connection(spec));
        cluster.client().resource(connection).create();
    }

    private void create(RstreamTunnel tunnel, String spec) {
        create(tunnel, "it", spec);
    }

    private void create(RstreamTunnel tunnel, String name, String spec) {
        tunnel.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace(namespace).build());
        tunnel.setSpec(Yaml.tunnel(spec));
        cluster.client().resource(tunnel).create();
    }

    private JsonNode stored(String kind, String name) {
        return json(kubectl.run("-n", namespace, "get", kind, name, "-o", "json"));
    }

    private static JsonNode sent(String file, String kind) {
        return Yaml.documents(RESOURCES.resolve(file))
                .filter(document -> document.path("kind").asText().equals(kind))
                .findFirst()
                .orElseThrow()
                .get("spec");
    }

    private static JsonNode json(String text) {
        return Yaml.tree(text);
    }
}
