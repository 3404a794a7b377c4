package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamConnectionStatus;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.operator.controlplane.FakeControlPlane;
import io.rstream.testcluster.Call;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Connections that name a project, against a small real control plane.
 *
 * <p>Differences from the incumbent: it writes InvalidSpec for every failure of a look-up; here that is said of failures which
 * stay until something is changed, and ConnectionUnresolved of those that pass (W-2). On tunnels it writes ConnectionMissing
 * for both; here ConnectionUnresolved with the same text.
 */
class ProjectLookUpIT {

    private static final String GLOBAL = """
            {"id": "prj-1", "endpoint": "project-42", "domain": "edge.example.com", "enginePort": 8443, "routing": "global",
             "regionalEndpoints": [{"region": "us-east-1", "domain": "us.example.com", "enginePort": 444},
                                   {"region": "eu-west-1", "domain": "eu.example.com", "enginePort": 443}]}""";

    private static OperatorHarness harness;
    private FakeControlPlane controlPlane;

    @BeforeAll
    static void start() throws IOException {
        harness = OperatorHarness.start();
    }

    @AfterAll
    static void stop() {
        harness.close();
    }

    @BeforeEach
    void startControlPlane() throws IOException {
        harness.api().behave();
        controlPlane = FakeControlPlane.start();
    }

    @AfterEach
    void stopControlPlane() {
        controlPlane.close();
    }

    @Test
    @Tag("parity-27")
    @Tag("parity-29")
    @Tag("parity-30")
    @Tag("parity-31")
    @Tag("parity-135")
    void looksTheProjectUpOnceForAllItsTunnels() {
        var namespace = namespace();
        connection(namespace, "projectEndpoint: My-Project, apiURL: ' %s// '".formatted(controlPlane.url()));
        var tunnels = List.of(
                harness.tunnel(namespace, "a", ""),
                harness.tunnel(namespace, "b", ""),
                harness.tunnel(namespace, "c", ""));

        awaitReady(namespace, "True Ready Connection settings are ready.");
        tunnels.forEach(tunnel -> harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED));

        var status = status(namespace);
        assertThat(status.apiURL()).isEqualTo(controlPlane.url());
        assertThat(status.projectID()).isEqualTo("prj-1");
        assertThat(status.projectEndpoint()).isEqualTo("project-42");
        assertThat(status.region()).isEqualTo("auto");
        assertThat(status.engine()).isEqualTo("project-42.edge.example.com:8443");
        assertThat(status.observedGeneration()).isEqualTo(1);
        assertThat(configFile(tunnels.getLast())).contains("engine: project-42.edge.example.com:8443");
        assertThat(controlPlane.requests).singleElement().satisfies(request -> {
            assertThat(request.target()).isEqualTo("/api/projects/tunnels/resolve/My-Project");
            assertThat(request.header("authorization")).isEqualTo("Bearer " + OperatorHarness.MARKER);
        });
    }

    @Test
    @Tag("parity-28")
    @Tag("parity-32")
    @Tag("parity-33")
    void followsTheRegionWithoutAskingAgain() {
        var namespace = namespace();
        controlPlane.answer(200, GLOBAL);
        connection(namespace, "projectID: prj-1, region: US-EAST-1, apiURL: '%s'".formatted(controlPlane.url()));
        var tunnel = harness.tunnel(namespace, "web", "");
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        eventually(() -> assertThat(status(namespace).region()).isEqualTo("us-east-1"));
        assertThat(status(namespace).engine()).isEqualTo("project-42.us.example.com:444");
        eventually(() -> assertThat(configFile(tunnel)).contains("engine: project-42.us.example.com:444"));

        patch(namespace, "{\"spec\": {\"region\": \"mars\"}}");

        var refusal = "region \"mars\" is not available for this project (available: eu-west-1, us-east-1)";
        awaitReady(namespace, "False InvalidSpec " + refusal);
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.CONNECTION_UNRESOLVED);
        assertThat(harness.read(tunnel).observed().lastError()).isEqualTo(refusal);
        assertCleared(namespace);
        assertThat(configFile(tunnel)).contains("engine: project-42.us.example.com:444");
        assertThat(controlPlane.requests)
                .singleElement()
                .satisfies(request -> assertThat(request.target()).isEqualTo("/api/projects/tunnels/prj-1"));
    }

    @Test
    @Tag("parity-38")
    @Tag("parity-39")
    @Tag("parity-40")
    void saysWhyTheControlPlaneRefusesAndTriesAgainWithAnotherToken() {
        var namespace = namespace();
        controlPlane.behave(request -> request.header("authorization").endsWith(" good")
                ? FakeControlPlane.Answer.of(200, GLOBAL)
                : FakeControlPlane.Answer.of(401, "{\"error\": \"token expired\"}"));
        connection(namespace, "projectEndpoint: p, apiURL: '%s'".formatted(controlPlane.url()));
        var tunnel = harness.tunnel(namespace, "web", "");

        var refusal = "resolve project endpoint \"p\": not authenticated: token expired";
        awaitReady(namespace, "False InvalidSpec " + refusal);
        eventually(() -> assertThat(harness.read(tunnel).observed().lastError()).isEqualTo(refusal));
        assertCleared(namespace);
        assertThat(status(namespace).observedGeneration()).isEqualTo(1);
        assertThat(controlPlane.requests).hasSize(1);

        secret(namespace, "rstream-token", "good");
        awaitReady(namespace, "True Ready Connection settings are ready.");
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
    }

    @Test
    @Tag("parity-35")
    void sendsHeadersFromSecretsAndAsksAgainWhenOneChanges() {
        var namespace = namespace();
        secret(namespace, "headers", " first\n");
        connection(namespace, """
                projectEndpoint: p, apiURL: '%s', controlPlaneHeaders: [
                  {name: X-Tenant, valueSecretRef: {name: headers, key: token}},
                  {name: X-Team, valueSecretRef: {name: headers, key: token}},
                  {name: X-Token, valueSecretRef: {name: rstream-token, key: token}}]""".formatted(controlPlane.url()));
        awaitReady(namespace, "True Ready Connection settings are ready.");
        assertThat(controlPlane.requests).singleElement().satisfies(request -> {
            assertThat(request.header("x-tenant")).isEqualTo("first");
            assertThat(request.header("x-team")).isEqualTo("first");
            assertThat(request.header("x-token")).isEqualTo(OperatorHarness.MARKER);
        });

        secret(namespace, "headers", "second");

        eventually(() -> assertThat(controlPlane.requests).hasSize(2));
        assertThat(controlPlane.requests.getLast().header("x-tenant")).isEqualTo("second");
    }

    @Test
    @Tag("parity-36")
    void refusesHeadersBeforeAnyRequest() {
        var namespace = namespace();
        secret(namespace, "headers", "two\nlines");
        connection(namespace, """
                projectEndpoint: p, apiURL: '%s', controlPlaneHeaders: [
                  {name: x-tenant, valueSecretRef: {name: headers, key: token}}]""".formatted(controlPlane.url()));
        awaitReady(namespace, "False InvalidSpec invalid value for control plane header \"X-Tenant\"");

        patch(
                namespace,
                "{\"spec\": {\"controlPlaneHeaders\": [{\"name\": \"Cookie\", \"valueSecretRef\":"
                        + " {\"name\": \"rstream-token\", \"key\": \"token\"}}]}}");
        eventually(() -> assertThat(ready(namespace)).contains("reserved control plane header \"Cookie\""));

        assertThat(controlPlane.requests).isEmpty();
    }

    @Test
    void sendsNoTokenInClearText() {
        var namespace = namespace();

        connection(namespace, "projectEndpoint: p, apiURL: 'http://192.0.2.1'");

        eventually(() -> assertThat(ready(namespace))
                .startsWith("False InvalidSpec apiURL \"http://192.0.2.1\" would send the token in clear text;"));
    }

    @Test
    @Tag("parity-126")
    @Tag("parity-136")
    void recoversByItselfAndWritesVaryingErrorsOnce() {
        var namespace = namespace();
        var asked = new AtomicInteger();
        controlPlane.behave(_ -> asked.incrementAndGet() <= 3
                ? FakeControlPlane.Answer.of(503, "{\"error\": \"request %d failed\"}".formatted(asked.get()))
                : FakeControlPlane.Answer.of(200, GLOBAL));
        connection(namespace, "projectEndpoint: p, apiURL: '%s'".formatted(controlPlane.url()));
        var tunnel = harness.tunnel(namespace, "web", "");

        var failure = "resolve project endpoint \"p\": request 1 failed";
        awaitReady(namespace, "False ConnectionUnresolved " + failure);
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.CONNECTION_UNRESOLVED);
        awaitReady(namespace, "True Ready Connection settings are ready.");
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);

        assertThat(writes(namespace))
                .filteredOn(call -> call.resource().equals("rstreamconnections"))
                .hasSize(2);
        assertThat(asked).hasValue(4);
    }

    @Test
    @Tag("parity-135")
    void aSlowControlPlaneHoldsUpNobodyElse() {
        var slow = namespace();
        var release = new CountDownLatch(1);
        controlPlane.behave(request -> {
            if (request.target().endsWith("/slow")) {
                await(release);
            }
            return FakeControlPlane.Answer.of(200, GLOBAL);
        });
        connection(slow, "projectEndpoint: slow, apiURL: '%s'".formatted(controlPlane.url()));
        var waiting = harness.tunnel(slow, "web", "");
        eventually(() -> assertThat(controlPlane.requests).hasSize(1));

        var quick = namespace();
        connection(quick, "projectEndpoint: quick, apiURL: '%s'".formatted(controlPlane.url()));
        awaitReady(quick, "True Ready Connection settings are ready.");
        var direct = harness.complete();
        harness.awaitCondition(direct, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);

        var pending = "Looking up project endpoint \"slow\" at %s.".formatted(controlPlane.url());
        awaitReady(slow, "False ConnectionUnresolved " + pending);
        eventually(
                () -> assertThat(harness.read(waiting).observed().lastError()).isEqualTo(pending));
        release.countDown();
        awaitReady(slow, "True Ready Connection settings are ready.");
        harness.awaitCondition(waiting, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
    }

    @Test
    @Tag("parity-135")
    void movesTheTunnelsWhenTheEngineMoves() {
        var namespace = namespace();
        controlPlane.answer(200, GLOBAL);
        connection(namespace, "projectEndpoint: p, apiURL: '%s'".formatted(controlPlane.url()));
        var tunnel = harness.tunnel(namespace, "web", "");
        eventually(() -> assertThat(configFile(tunnel)).contains("engine: project-42.edge.example.com:8443"));

        controlPlane.answer(200, GLOBAL.replace("edge.example.com", "moved.example.com"));
        secret(namespace, "rstream-token", "another"); // What a refresh does ten minutes later, now.

        eventually(() -> assertThat(configFile(tunnel)).contains("engine: project-42.moved.example.com:8443"));
        assertThat(status(namespace).engine()).isEqualTo("project-42.moved.example.com:8443");
    }

    @Test
    @Tag("parity-126")
    void staysReadyOverARestartWhileTheControlPlaneIsAway() throws IOException {
        var namespace = namespace();
        connection(namespace, "projectEndpoint: p, apiURL: '%s'".formatted(controlPlane.url()));
        var tunnel = harness.tunnel(namespace, "web", "");
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        awaitReady(namespace, "True Ready Connection settings are ready.");
        harness.settle(tunnel);
        var before = writes(namespace);
        controlPlane.answer(503, "");

        harness.restartOperator();

        eventually(() -> assertThat(controlPlane.requests).hasSizeGreaterThan(2));
        harness.settle(tunnel);
        assertThat(writes(namespace)).isEqualTo(before);
        assertThat(ready(namespace)).isEqualTo("True Ready Connection settings are ready.");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static String namespace() {
        var namespace = harness.namespace();
        harness.secret(namespace);
        harness.service(namespace);
        return namespace;
    }

    private static void connection(String namespace, String fields) {
        harness.client()
                .resource(harness.client()
                        .getKubernetesSerialization()
                        .unmarshal("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamConnection
                metadata: {name: default, namespace: %s}
                spec: {%s, tokenSecretRef: {name: rstream-token, key: token}}
                """.formatted(namespace, fields), RstreamConnection.class))
                .create();
    }

    private static void patch(String namespace, String patch) {
        harness.client()
                .resources(RstreamConnection.class)
                .inNamespace(namespace)
                .withName("default")
                .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    }

    private static void secret(String namespace, String name, String token) {
        harness.client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .endMetadata()
                        .addToStringData("token", token)
                        .build())
                .createOr(existing -> existing.update());
    }

    private static RstreamConnectionStatus status(String namespace) {
        return harness.readConnection(namespace).observed();
    }

    private static String ready(String namespace) {
        var conditions = status(namespace).conditions();
        if (conditions.isEmpty()) {
            return "";
        }
        var ready = conditions.getFirst();
        return ready.status().value() + " " + ready.reason() + " " + ready.message();
    }

    private static void awaitReady(String namespace, String expected) {
        eventually(() -> assertThat(ready(namespace)).startsWith(expected));
    }

    private static void assertCleared(String namespace) {
        var status = status(namespace);
        assertThat(new String[] {
                    status.apiURL(), status.projectID(), status.projectEndpoint(), status.region(), status.engine()
                })
                .containsOnlyNulls();
    }

    private static List<Call> writes(String namespace) {
        return harness.writes().stream()
                .filter(call -> call.namespace().equals(namespace))
                .toList();
    }

    private static String configFile(RstreamTunnel tunnel) {
        var map = harness.client()
                .configMaps()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName(harness.childName(tunnel) + "-config")
                .get();
        return map == null ? "" : map.getData().get("config.yaml");
    }
}
