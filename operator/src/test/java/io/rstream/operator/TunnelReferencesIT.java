package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.testcluster.Call;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a tunnel refers to comes, goes and changes, and the API server fails: nobody touches the tunnel itself. */
class TunnelReferencesIT {

    private static OperatorHarness harness;

    @BeforeAll
    static void start() throws IOException {
        harness = OperatorHarness.start();
    }

    @AfterAll
    static void stop() {
        harness.close();
    }

    @BeforeEach
    void behave() {
        harness.api().behave();
    }

    @Test
    @Tag("parity-24")
    @Tag("parity-26")
    @Tag("parity-46")
    @Tag("parity-54")
    void goesOnAsEachReferenceAppears() {
        var namespace = harness.namespace();
        var tunnel = harness.tunnel(namespace, "web", "");
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.CONNECTION_MISSING);

        harness.connection(namespace);
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.SECRET_MISSING);
        assertThat(harness.read(tunnel).observed().lastError()).isEqualTo("secret \"rstream-token\" was not found");
        eventually(() -> assertThat(connectionReady(namespace))
                .startsWith("False SecretMissing Secret \"rstream-token\" was not found"));

        harness.secret(namespace);
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.SERVICE_MISSING);
        harness.awaitCondition(tunnel, ConditionType.ACCEPTED, Status.TRUE, Reason.ACCEPTED);
        eventually(() -> assertThat(connectionReady(namespace)).isEqualTo("True Ready Connection settings are ready."));
        assertThat(harness.readConnection(namespace).getStatus().engine()).isEqualTo(OperatorHarness.ENGINE);
        assertThat(harness.readConnection(namespace).getStatus().observedGeneration())
                .isEqualTo(1);

        harness.service(namespace);
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        assertThat(harness.read(tunnel).observed().lastError()).isNull();
    }

    @Test
    @Tag("parity-25")
    @Tag("parity-53")
    @Tag("parity-133")
    void leavesARunningAgentAloneWhileAReferenceIsMissing() {
        var tunnel = harness.online();
        var namespace = tunnel.getMetadata().getNamespace();
        var deployment = harness.deployment(tunnel);

        harness.client()
                .secrets()
                .inNamespace(namespace)
                .withName("rstream-token")
                .edit(secret ->
                        secret.edit().withData(java.util.Map.of("other", "")).build());
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.SECRET_MISSING);
        assertThat(harness.read(tunnel).observed().lastError())
                .isEqualTo("secret \"rstream-token\" key \"token\" is missing");
        eventually(() -> assertThat(connectionReady(namespace))
                .startsWith("False SecretMissing secret \"rstream-token\" key \"token\" is missing"));
        assertThat(harness.readConnection(namespace).getStatus().engine()).isNull();

        harness.client().services().inNamespace(namespace).withName("web").delete();
        harness.settle(tunnel);
        assertThat(harness.deployment(tunnel).getMetadata().getResourceVersion())
                .isEqualTo(deployment.getMetadata().getResourceVersion());
    }

    @Test
    @Tag("parity-47")
    @Tag("parity-54")
    void followsThePortOfTheService() {
        var tunnel = harness.online();
        var namespace = tunnel.getMetadata().getNamespace();

        renamePort(namespace, "renamed");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.SERVICE_PORT_MISSING);
        assertThat(harness.read(tunnel).observed().lastError()).isEqualTo("service port \"http\" not found");

        renamePort(namespace, "http");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);
    }

    @Test
    @Tag("parity-52")
    @Tag("parity-54")
    void followsAServiceInAnotherNamespace() {
        var namespace = harness.namespace();
        var other = harness.namespace();
        harness.secret(namespace);
        harness.connection(namespace);
        var tunnel = harness.client()
                .resource(harness.client()
                        .getKubernetesSerialization()
                        .unmarshal("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: far, namespace: %s}
                spec: {target: {service: {name: web, namespace: %s, port: 8080}}}
                """.formatted(namespace, other), RstreamTunnel.class))
                .create();
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.SERVICE_MISSING);

        harness.service(other);

        harness.awaitTunnel(
                tunnel,
                present ->
                        ("web." + other + ".svc:8080").equals(present.observed().target()));
    }

    /** Deliberate difference from parity 87: the agent reads its credentials from files, which follow their Secret. */
    @Test
    @Tag("parity-80")
    @Tag("parity-86")
    @Tag("parity-87")
    @Tag("parity-139")
    void doesNotRollTheAgentWhenItsSecretChanges() {
        var tunnel = harness.online();
        var before = harness.deployment(tunnel).getMetadata().getResourceVersion();

        harness.client()
                .secrets()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName("rstream-token")
                .edit(secret ->
                        secret.edit().addToStringData("token", "another").build());

        harness.settle(tunnel);
        assertThat(harness.deployment(tunnel).getMetadata().getResourceVersion())
                .isEqualTo(before);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);
    }

    @Test
    @Tag("parity-87")
    void doesNotRollTheAgentWhenASecretChangesThatOnlyTheOperatorReads() {
        var tunnel = harness.online();
        var namespace = tunnel.getMetadata().getNamespace();
        harness.client().resource(harness.secretNamed(namespace, "headers")).create();
        harness.client()
                .resources(RstreamConnection.class)
                .inNamespace(namespace)
                .withName("default")
                .patch(PatchContext.of(PatchType.JSON_MERGE), """
                        {"spec": {"engine": null, "projectEndpoint": "project-42", "apiURL": "http://127.0.0.1:1",
                          "controlPlaneHeaders": [
                          {"name": "X-Tenant", "valueSecretRef": {"name": "headers", "key": "token"}}]}}""");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.CONNECTION_UNRESOLVED);
        var before = harness.deployment(tunnel).getMetadata().getResourceVersion();

        harness.client()
                .secrets()
                .inNamespace(namespace)
                .withName("headers")
                .edit(secret ->
                        secret.edit().addToStringData("token", "another").build());

        harness.settle(tunnel);
        assertThat(harness.deployment(tunnel).getMetadata().getResourceVersion())
                .isEqualTo(before);
    }

    @Test
    @Tag("parity-57")
    @Tag("parity-141")
    void takesANameInTheNewDomainWhenTheEngineChanges() {
        var tunnel = harness.online();
        var before = harness.read(tunnel).observed().hostname();

        engine(tunnel, "\"other.example.com:8443\"");

        harness.awaitTunnel(
                tunnel,
                present -> (before.substring(0, 10) + "other.t.example.com")
                        .equals(present.observed().hostname()));
        eventually(() -> assertThat(configFile(tunnel))
                .contains("engine: other.example.com:8443")
                .contains("-other.t.example.com"));
    }

    @Test
    @Tag("parity-141")
    void findsTheSameNameAfterAStatusWipe() {
        var tunnel = harness.online();
        var before = harness.read(tunnel).observed().hostname();
        var children = harness.deployment(tunnel).getMetadata().getResourceVersion();

        harness.client()
                .resources(RstreamTunnel.class)
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName("web")
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":null}");

        harness.awaitTunnel(tunnel, present -> before.equals(present.observed().hostname()));
        harness.settle(tunnel);
        assertThat(harness.deployment(tunnel).getMetadata().getResourceVersion())
                .isEqualTo(children);
    }

    @Test
    @Tag("parity-138")
    void namesWhatTheApiServerRefusesAndGoesOnOnceItIsRepaired() {
        var namespace = harness.namespace();
        harness.secret(namespace);
        harness.connection(namespace);
        harness.service(namespace);
        var tunnel = harness.tunnel(namespace, "web", "agent: {resources: {requests: {cpu: 2}, limits: {cpu: 1}}}");
        harness.awaitCondition(tunnel, ConditionType.AGENT_READY, Status.FALSE, Reason.DEPLOYMENT_FAILED);
        assertThat(harness.read(tunnel).observed().lastError())
                .startsWith("Deployment \"%s\" cannot be applied: ".formatted(harness.childName(tunnel)))
                .contains("must be less than or equal to cpu limit");

        harness.merge(tunnel, "{\"spec\":{\"agent\":{\"resources\":{\"limits\":{\"cpu\":3}}}}}");

        harness.awaitCondition(tunnel, ConditionType.AGENT_READY, Status.FALSE, Reason.DEPLOYMENT_PENDING);
        assertThat(harness.read(tunnel).observed().lastError()).isNull();
    }

    @Test
    @Tag("parity-138")
    @Tag("parity-140")
    void saysWhichNamesKubernetesWouldRefuse() {
        var tunnel = harness.complete();
        var namespace = tunnel.getMetadata().getNamespace();

        harness.merge(tunnel, "{\"spec\":{\"agent\":{\"podLabels\":{\"team\":\"not a label\"}}}}");
        harness.awaitCondition(tunnel, ConditionType.ACCEPTED, Status.FALSE, Reason.INVALID_SPEC);
        assertThat(harness.read(tunnel).observed().lastError()).startsWith("a value of podLabels has at most 63 of ");

        var fits = harness.tunnel(namespace, "a.b-" + "x".repeat(59), "");
        harness.awaitCondition(fits, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        var tooLong = harness.tunnel(namespace, "a.b-" + "x".repeat(60), "");
        harness.awaitCondition(tooLong, ConditionType.ACCEPTED, Status.FALSE, Reason.INVALID_SPEC);
        assertThat(harness.read(tooLong).observed().lastError())
                .isEqualTo("metadata.name has 64 characters; the agent carries it as a label, so use at most 63");
        assertThat(harness.deployment(tooLong)).isNull();
    }

    @Test
    @Tag("parity-126")
    void triesAgainWhenTheApiServerFails() {
        harness.api().answer(call -> isChildOfWeb(call, "deployments"), 500, 4);
        harness.api().answer(call -> isChildOfWeb(call, "roles"), 429, 2);

        var tunnel = harness.complete();

        eventually(() -> assertThat(harness.deployment(tunnel)).isNotNull());
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
    }

    @Test
    @Tag("parity-126")
    void catchesUpAfterTheApiServerWasAway() {
        var tunnel = harness.online();
        harness.api().cut();
        harness.client()
                .services()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName("web")
                .delete();

        harness.api().restore();

        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.SERVICE_MISSING);
    }

    @Test
    @Tag("parity-128")
    void doesNotOverwriteTheFirstWordOfAnAgentThatItHasNotSeenYet() {
        var tunnel = harness.complete();
        harness.awaitCondition(tunnel, ConditionType.TUNNEL_READY, Status.FALSE, Reason.TUNNEL_CONNECTING);

        for (var round = 0; round < 20; round++) {
            harness.merge(tunnel, "{\"metadata\":{\"annotations\":{\"test/round\":\"%d\"}}}".formatted(round));
        }
        harness.agentReports(tunnel, Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");
        harness.merge(tunnel, "{\"spec\":{\"labels\":{\"a\":\"b\"}}}");
        harness.deploymentIsAvailable(tunnel);

        harness.settle(tunnel);
        harness.awaitCondition(tunnel, ConditionType.TUNNEL_READY, Status.TRUE, Reason.TUNNEL_ONLINE);
    }

    @Test
    @Tag("parity-128")
    void judgesAReportOfTheAgentThatArrivesWhileItsOwnWriteIsUnderWay() throws InterruptedException {
        var tunnel = harness.online();
        var namespace = tunnel.getMetadata().getNamespace();
        harness.settle(tunnel);
        var writing = new CountDownLatch(1);
        var reported = new CountDownLatch(1);
        harness.api().answer(call -> holdStatusWrite(call, namespace, writing, reported), 500, 1);

        harness.deploymentIsPending(tunnel);
        assertThat(writing.await(30, TimeUnit.SECONDS)).isTrue();
        harness.agentReports(tunnel, Status.FALSE, Reason.TUNNEL_DISCONNECTED, "connection reset");
        reported.countDown();

        harness.awaitTunnel(
                tunnel, present -> "connection reset".equals(present.observed().lastError()));
    }

    /** Keeps the operator's write of a status back until the agent has reported; never answers in the server's place. */
    private static boolean holdStatusWrite(
            Call call, String namespace, CountDownLatch writing, CountDownLatch reported) {
        if (call.namespace().equals(namespace) && call.subresource().equals("status")) {
            writing.countDown();
            try {
                assertThat(reported.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return false;
    }

    @Test
    @Tag("parity-96")
    void satisfiesKubectlWait(@TempDir Path directory) throws IOException, InterruptedException {
        var tunnel = harness.online();
        var kubeconfig = Files.writeString(
                directory.resolve("kubeconfig"), harness.cluster().kubeconfigYaml());

        var kubectl = new ProcessBuilder(
                        harness.cluster().kubectl().toString(),
                        "--kubeconfig=" + kubeconfig,
                        "--namespace=" + tunnel.getMetadata().getNamespace(),
                        "wait",
                        "--for=condition=Ready",
                        "--timeout=20s",
                        "rstreamtunnel/web")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("condition met");
        assertThat(kubectl.waitFor()).isZero();
    }

    private static boolean isChildOfWeb(Call call, String resource) {
        return call.resource().equals(resource)
                && call.verb().equals("patch")
                && call.name().startsWith("rstream-web");
    }

    private static void engine(RstreamTunnel tunnel, String engine) {
        harness.client()
                .resources(RstreamConnection.class)
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName("default")
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"engine\":" + engine + "}}");
    }

    private static void renamePort(String namespace, String name) {
        harness.client()
                .services()
                .inNamespace(namespace)
                .withName("web")
                .edit(service -> service.edit()
                        .editSpec()
                        .editFirstPort()
                        .withName(name)
                        .endPort()
                        .endSpec()
                        .build());
    }

    private static String connectionReady(String namespace) {
        var status = harness.readConnection(namespace).getStatus();
        if (status == null || status.conditions().isEmpty()) {
            return "";
        }
        var ready = status.conditions().getFirst();
        return ready.status().value() + " " + ready.reason() + " " + ready.message();
    }

    private static String configFile(RstreamTunnel tunnel) {
        return harness.client()
                .configMaps()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName(harness.childName(tunnel) + "-config")
                .get()
                .getData()
                .get("config.yaml");
    }
}
