package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.testcluster.LocalCluster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Objects that no admission has judged: every wrong one of the table that the api module's rules are tested with, written
 * past permissive definitions. The status names path and value, no child comes or changes, and nothing is thrown.
 */
@Tag("parity-10")
@Tag("parity-11")
@Tag("parity-12")
@Tag("parity-13")
@Tag("parity-14")
@Tag("parity-15")
@Tag("parity-16")
@Tag("parity-17")
@Tag("parity-18")
@Tag("parity-19")
@Tag("parity-20")
@Tag("parity-21")
@Tag("parity-22")
class InvalidSpecIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern PATH = Pattern.compile("\\bspec(?:\\.[A-Za-z0-9]+|\\[\\d+])*");
    private static final Pattern STEP = Pattern.compile("\\.([A-Za-z0-9]+)|\\[(\\d+)]");
    private static final String UNREADABLE = " is not a value that the field takes";
    private static final String CREDENTIALS = """
            apiVersion: v1
            kind: Secret
            metadata: {name: credentials}
            stringData: {token: t}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {ports: [{name: http, port: 80}]}
            """;
    private static final String VALID_CONNECTION =
            "{\"engine\": \"edge.example.com:443\", \"tokenSecretRef\": {\"name\": \"credentials\", \"key\": \"token\"}}";

    private record Case(String name, String sentence, String kind, JsonNode spec, List<String> messages) {

        static Case of(int index, JsonNode entry) {
            var messages = Stream.of("both", "java")
                    .flatMap(list -> entry.path(list).valueStream())
                    .map(JsonNode::textValue)
                    .toList();
            return new Case(
                    "case-" + index,
                    entry.path("case").textValue(),
                    entry.path("kind").textValue(),
                    entry.path("spec"),
                    messages);
        }

        boolean isWrong(JsonNode entry) {
            return !messages.isEmpty() || entry.has("schema");
        }

        /** The parts of an object with this spec. */
        Map<String, Object> parts() {
            return spec.isMissingNode() ? Map.of() : Map.of("spec", JSON.convertValue(spec, Map.class));
        }

        /** Several values that do not fit are named one after the other, in the order in which the server keeps fields. */
        boolean isUnreadable() {
            return messages.getFirst().contains(UNREADABLE);
        }

        /** A connection that names no Secret at all is said to need one before anything else is looked at. */
        boolean hasNoCredential() {
            return kind.equals("RstreamConnection")
                    && Stream.of("tokenSecretRef", "mtls", "controlPlaneHeaders")
                            .noneMatch(spec::has);
        }
    }

    private static LocalCluster cluster;
    private OperatorProcess operator;
    private LogEvents log;
    private String namespace;

    @BeforeAll
    static void installPermissiveDefinitions() {
        cluster = PermissiveCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void startOperator() throws IOException {
        namespace = cluster.createNamespace("invalid");
        client().load(new ByteArrayInputStream(CREDENTIALS.getBytes(StandardCharsets.UTF_8)))
                .inNamespace(namespace)
                .create();
        log = LogEvents.open();
        operator = OperatorProcess.start(cluster.config(), OperatorOptions.local("agent:1"));
    }

    @AfterEach
    void stopOperator() {
        operator.close();
        log.close();
    }

    @Test
    void hasARuleForEveryRefusalOfTheSchema() throws IOException {
        assertThat(wrong("RstreamTunnel"))
                .hasSizeGreaterThan(25)
                .noneMatch(wrong -> wrong.messages().isEmpty());
        assertThat(wrong("RstreamConnection"))
                .hasSizeGreaterThan(20)
                .noneMatch(wrong -> wrong.messages().isEmpty());
    }

    @Test
    void makesNoChildForWrongObjects() throws IOException {
        connection("default", VALID_CONNECTION);
        var connections = wrong("RstreamConnection");
        var tunnels = wrong("RstreamTunnel");

        Stream.concat(connections.stream(), tunnels.stream())
                .forEach(wrong -> create(wrong.kind(), wrong.name(), wrong.parts()));
        connections.forEach(wrong -> tunnel("over-" + wrong.name(), wrong.name()));

        assertExplained(connections);
        assertExplained(tunnels);
        connections.forEach(wrong -> eventually(() ->
                assertThat(ready(RstreamTunnel.class, "over-" + wrong.name())).isNotEmpty()));
        assertThat(children()).isEmpty();
        assertThat(log.troubles()).isEmpty();
    }

    @Test
    void leavesTheChildrenOfATunnelThatBecomesWrong() throws IOException {
        connection("default", VALID_CONNECTION);
        var tunnels = wrong("RstreamTunnel");
        tunnels.forEach(wrong -> tunnel(wrong.name(), "default"));
        var before = childrenOf(tunnels.size());

        tunnels.forEach(this::replaceSpec);

        assertExplained(tunnels);
        assertThat(children()).isEqualTo(before);
        assertThat(log.troubles()).isEmpty();
    }

    @Test
    void leavesTheChildrenOverAConnectionThatBecomesWrong() throws IOException {
        var connections = wrong("RstreamConnection");
        connections.forEach(wrong -> {
            connection(wrong.name(), VALID_CONNECTION);
            tunnel("over-" + wrong.name(), wrong.name());
        });
        var before = childrenOf(connections.size());

        connections.forEach(this::replaceSpec);

        assertExplained(connections);
        connections.forEach(wrong -> eventually(() -> assertThat(ready(RstreamTunnel.class, "over-" + wrong.name()))
                .as(wrong.sentence())
                .contains(
                        wrong.hasNoCredential()
                                ? "must reference tokenSecretRef or mtls"
                                : wrong.isUnreadable()
                                        ? UNREADABLE
                                        : wrong.messages().getFirst())));
        assertThat(children()).isEqualTo(before);
        assertThat(log.troubles()).isEmpty();
    }

    private static List<Case> wrong(String kind) throws IOException {
        var file = LocalCluster.repositoryRoot().resolve("api/src/test/resources/rule-cases.yaml");
        var table = new YAMLMapper().readTree(file.toFile());
        return IntStream.range(0, table.size())
                .filter(index -> Case.of(index, table.get(index)).isWrong(table.get(index)))
                .mapToObj(index -> Case.of(index, table.get(index)))
                .filter(wrong -> wrong.kind().equals(kind))
                .toList();
    }

    private void assertExplained(List<Case> cases) {
        var softly = new SoftAssertions();
        cases.forEach(wrong -> softly.assertThatCode(() -> eventually(() -> assertExplained(wrong)))
                .as(wrong.sentence())
                .doesNotThrowAnyException());
        softly.assertAll();
    }

    private void assertExplained(Case wrong) {
        var ready = ready(
                wrong.kind().equals("RstreamTunnel") ? RstreamTunnel.class : RstreamConnection.class, wrong.name());
        if (wrong.hasNoCredential()) {
            assertThat(ready).startsWith("SecretMissing: tokenSecretRef or mtls is required");
            return;
        }
        assertThat(ready)
                .startsWith("InvalidSpec: ")
                .contains(wrong.isUnreadable() ? List.of(UNREADABLE) : wrong.messages());
        var paths = PATH.matcher(ready).results().map(found -> found.group()).toList();
        assertThat(paths).isNotEmpty();
        paths.stream()
                .map(path -> at(wrong.spec(), path))
                .filter(JsonNode::isValueNode)
                .forEach(value -> assertThat(ready)
                        .containsIgnoringCase(value.asText()
                                .substring(0, Math.min(60, value.asText().length()))));
    }

    private static JsonNode at(JsonNode spec, String path) {
        var node = spec;
        for (var step : STEP.matcher(path).results().toList()) {
            node = step.group(1) != null ? node.path(step.group(1)) : node.path(Integer.parseInt(step.group(2)));
        }
        return node;
    }

    private String ready(Class<? extends HasMetadata> kind, String name) {
        var object =
                client().resources(kind).inNamespace(namespace).withName(name).get();
        List<Condition> conditions = switch (object) {
            case RstreamTunnel tunnel -> tunnel.observed().conditions();
            case RstreamConnection connection -> connection.observed().conditions();
            default -> List.of();
        };
        return conditions.stream()
                .filter(condition -> condition.type().equals("Ready") && condition.status() == Condition.Status.FALSE)
                .map(condition -> condition.reason() + ": " + condition.message())
                .findFirst()
                .orElse("");
    }

    private void replaceSpec(Case wrong) {
        var parts = wrong.parts();
        Map<String, Object> change =
                new HashMap<>(Map.of("op", parts.isEmpty() ? "remove" : "replace", "path", "/spec"));
        if (!parts.isEmpty()) {
            change.put("value", parts.get("spec"));
        }
        client().genericKubernetesResources(WellKnown.API_VERSION, wrong.kind())
                .inNamespace(namespace)
                .withName(wrong.name())
                .patch(
                        PatchContext.of(PatchType.JSON),
                        JSON.valueToTree(List.of(change)).toString());
    }

    private void connection(String name, String spec) {
        try {
            create("RstreamConnection", name, Map.of("spec", JSON.readValue(spec, Map.class)));
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private void tunnel(String name, String connection) {
        create(
                "RstreamTunnel",
                name,
                Map.of(
                        "spec",
                        Map.of(
                                "connectionRef",
                                Map.of("name", connection),
                                "target",
                                Map.of("service", Map.of("name", "web", "port", "http")))));
    }

    private void create(String kind, String name, Map<String, Object> parts) {
        client().resource(PermissiveCluster.object(namespace, kind, name, parts))
                .create();
    }

    /** Waits for all five children of so many tunnels. */
    private Map<String, String> childrenOf(int tunnels) {
        eventually(() -> assertThat(children()).hasSize(5 * tunnels));
        return children();
    }

    private Map<String, String> children() {
        return new ManagedChildren(client(), namespace).versions();
    }

    private static KubernetesClient client() {
        return cluster.client();
    }
}
