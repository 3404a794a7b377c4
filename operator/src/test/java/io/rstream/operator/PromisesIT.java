package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Promises of the compatibility list that are about the order of things on a real API server, each taken at its word. */
class PromisesIT {

    private static final Instant LONG_AGO = Instant.parse("2026-01-02T03:04:05Z");

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
    @Tag("parity-43")
    @Tag("parity-44")
    @Tag("parity-46")
    @Tag("parity-127")
    void looksForTheDefaultConnectionInItsOwnNamespaceAndSaysWhatIsMissing() {
        harness.connection(harness.namespace());
        var namespace = harness.namespace();
        harness.secret(namespace);
        var tunnel = harness.tunnel(namespace, "web", "connectionRef: {name: ''}");

        awaitBlocked(tunnel, Reason.CONNECTION_MISSING, "RstreamConnection \"default\" was not found");

        harness.connection(namespace);

        awaitBlocked(
                tunnel,
                Reason.SERVICE_MISSING,
                "service \"web\" was not found in namespace \"%s\"".formatted(namespace));
        assertThat(condition(tunnel, ConditionType.ACCEPTED).status()).isEqualTo(Status.TRUE);
        assertThat(condition(tunnel, ConditionType.ACCEPTED).message()).isEqualTo("Tunnel spec is accepted.");
    }

    @Test
    @Tag("parity-41")
    void keepsTheTimeOfATransitionWhileReasonAndMessageChange() throws IOException {
        var namespace = harness.namespace();
        var tunnel = harness.tunnel(namespace, "web", "");
        awaitBlocked(tunnel, Reason.CONNECTION_MISSING, "RstreamConnection \"default\" was not found");
        harness.operator().close();
        backdate(tunnel);
        harness.restartOperator();

        harness.connection(namespace);

        awaitBlocked(tunnel, Reason.SECRET_MISSING, "secret \"rstream-token\" was not found");
        assertThat(condition(tunnel, ConditionType.READY).lastTransitionTime()).isEqualTo(LONG_AGO);
        assertThat(condition(tunnel, ConditionType.RESOLVED).lastTransitionTime())
                .isEqualTo(LONG_AGO);
        harness.secret(namespace);
        harness.service(namespace);
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        assertThat(condition(tunnel, ConditionType.RESOLVED).lastTransitionTime())
                .isAfter(LONG_AGO);
    }

    private static void backdate(RstreamTunnel tunnel) {
        harness.client().resource(harness.read(tunnel)).editStatus(present -> {
            var aged = present.observed().conditions().stream()
                    .map(condition -> new Condition(
                            condition.type(),
                            condition.status(),
                            condition.reason(),
                            condition.message(),
                            LONG_AGO,
                            condition.observedGeneration()))
                    .toList();
            present.setStatus(present.observed().toBuilder().conditions(aged).build());
            return present;
        });
    }

    @Test
    @Tag("parity-53")
    void leavesEveryChildOfABlockedTunnelAsItIs() {
        var tunnel = harness.online();
        var namespace = tunnel.getMetadata().getNamespace();
        harness.settle(tunnel);
        var before = children(namespace);

        harness.client().services().inNamespace(namespace).withName("web").delete();
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.SERVICE_MISSING);
        harness.client()
                .secrets()
                .inNamespace(namespace)
                .withName("rstream-token")
                .delete();
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.SECRET_MISSING);
        harness.client().resource(harness.readConnection(namespace)).delete();
        harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.CONNECTION_MISSING);
        harness.settle(tunnel);

        assertThat(before).hasSize(5);
        assertThat(children(namespace)).isEqualTo(before);
    }

    @Test
    @Tag("parity-54")
    void tellsEveryTunnelOfChangesToWhatItRefersTo() {
        var tunnel = harness.complete();
        var namespace = tunnel.getMetadata().getNamespace();
        var second = harness.tunnel(namespace, "second", "");
        var elsewhere = harness.namespace();
        harness.secret(elsewhere);
        harness.connection(elsewhere);
        var far = farTunnel(elsewhere, namespace);
        List.of(tunnel, second, far)
                .forEach(each -> harness.awaitCondition(each, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED));

        renamePort(namespace, "renamed");
        List.of(tunnel, second, far)
                .forEach(each -> awaitBlocked(each, Reason.SERVICE_PORT_MISSING, "service port \"http\" not found"));
        renamePort(namespace, "http");
        List.of(tunnel, second, far)
                .forEach(each -> harness.awaitCondition(each, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED));

        harness.client()
                .resources(RstreamConnection.class)
                .inNamespace(namespace)
                .withName("default")
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"engine\":\"other.example.com:443\"}}");
        List.of(tunnel, second)
                .forEach(each ->
                        eventually(() -> assertThat(configFile(each)).contains("engine: other.example.com:443")));

        editSecret(namespace, Map.of("other", ""));
        List.of(tunnel, second)
                .forEach(each ->
                        awaitBlocked(each, Reason.SECRET_MISSING, "secret \"rstream-token\" key \"token\" is missing"));
        assertThat(condition(far, ConditionType.RESOLVED).status()).isEqualTo(Status.TRUE);
        editSecret(namespace, Map.of("token", ""));
        List.of(tunnel, second)
                .forEach(each -> harness.awaitCondition(each, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED));
    }

    private static RstreamTunnel farTunnel(String namespace, String target) {
        return harness.client()
                .resource(harness.client()
                        .getKubernetesSerialization()
                        .unmarshal("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: far, namespace: %s}
                spec: {target: {service: {name: web, namespace: %s, port: http}}}
                """.formatted(namespace, target), RstreamTunnel.class))
                .create();
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

    private static Secret editSecret(String namespace, Map<String, String> data) {
        return harness.client()
                .secrets()
                .inNamespace(namespace)
                .withName("rstream-token")
                .edit(secret -> secret.edit().withData(data).build());
    }

    @Test
    @Tag("parity-56")
    @Tag("parity-57")
    void keepsAStoredHostnameOfTheIncumbentOverARestart() throws IOException {
        var stored = "r1a2b3c4d-project-42.t.edge.example.com";
        var tunnel = harness.complete();
        harness.awaitTunnel(tunnel, present -> present.observed().agentDeployment() != null);
        assertThat(harness.read(tunnel).observed().hostname())
                .matches("r[0-9a-f]{8}-project-42\\.t\\.edge\\.example\\.com")
                .isNotEqualTo(stored);
        harness.operator().close();
        harness.client().resource(harness.read(tunnel)).editStatus(present -> {
            present.setStatus(present.observed().toBuilder().hostname(stored).build());
            return present;
        });

        harness.restartOperator();

        eventually(() -> assertThat(configFile(tunnel)).contains("hostname: " + stored));
        harness.settle(tunnel);
        assertThat(harness.read(tunnel).observed().hostname()).isEqualTo(stored);
        assertThat(configFile(tunnel)).contains("hostname: " + stored);
    }

    @Test
    @Tag("parity-98")
    void deletesATunnelWhicheverOfItsChildrenIsGone() throws IOException {
        var tunnels = IntStream.range(0, ManagedChildren.KINDS.size())
                .mapToObj(_ -> harness.complete())
                .toList();
        tunnels.forEach(tunnel ->
                harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT));
        harness.operator().close();
        for (var index = 0; index < tunnels.size(); index++) {
            var managed = managed(tunnels.get(index).getMetadata().getNamespace());
            managed.of(ManagedChildren.KINDS.get(index))
                    .forEach(child -> harness.client().resource(child).delete());
            assertThat(managed.versions()).hasSize(4);
            harness.client().resource(tunnels.get(index)).delete();
        }

        harness.restartOperator();

        tunnels.forEach(
                tunnel -> eventually(() -> assertThat(harness.read(tunnel)).isNull()));
        assertThat(tunnels)
                .allSatisfy(tunnel -> assertThat(children(tunnel.getMetadata().getNamespace()))
                        .isEmpty());
    }

    private static void awaitBlocked(RstreamTunnel tunnel, Reason reason, String message) {
        eventually(() -> {
            var status = harness.read(tunnel).observed();
            assertThat(status.lastError()).startsWith(message);
            for (var type : List.of(ConditionType.RESOLVED, ConditionType.READY)) {
                var condition = Conditions.find(status.conditions(), type).orElseThrow();
                assertThat(condition.status()).isEqualTo(Status.FALSE);
                assertThat(condition.reason()).isEqualTo(reason.code());
                assertThat(condition.message()).startsWith(message);
            }
        });
    }

    private static Condition condition(RstreamTunnel tunnel, ConditionType type) {
        return Conditions.find(harness.read(tunnel).observed().conditions(), type)
                .orElseThrow();
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

    private static ManagedChildren managed(String namespace) {
        return new ManagedChildren(harness.client(), namespace);
    }

    private static Map<String, String> children(String namespace) {
        return managed(namespace).versions();
    }
}
