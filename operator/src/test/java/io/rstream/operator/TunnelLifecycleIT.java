package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.testcluster.Call;
import java.io.IOException;
import java.lang.Thread.State;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tunnel from creation to deletion, on a real API server and under the shipped role. */
class TunnelLifecycleIT {

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
    void forget() {
        harness.api().behave();
    }

    @Test
    @Tag("parity-42")
    @Tag("parity-56")
    @Tag("parity-118")
    void addsTheFinalizerThenStoresTheHostnameThenMakesTheChildren() {
        harness.api().forgetCalls();

        var tunnel = harness.complete();
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);

        var name = harness.childName(tunnel);
        eventually(() -> assertThat(writesFor(tunnel))
                .containsExactly(
                        "patch rstreamtunnels web",
                        "patch rstreamtunnels/status web",
                        "patch configmaps " + name + "-config",
                        "patch serviceaccounts " + name,
                        "patch roles " + name,
                        "patch rolebindings " + name,
                        "patch deployments " + name));
        var present = harness.read(tunnel);
        assertThat(present.getFinalizers()).containsExactly(WellKnown.FINALIZER);
        assertThat(present.observed().hostname()).matches("r[0-9a-f]{8}-project-42\\.t\\.edge\\.example\\.com");
        assertThat(present.observed().agentDeployment()).isEqualTo(name);
        assertThat(present.observed().target())
                .isEqualTo("web." + tunnel.getMetadata().getNamespace() + ".svc:8080");
    }

    @Test
    @Tag("parity-74")
    @Tag("parity-83")
    void ownsItsChildren() {
        var tunnel = harness.online();

        assertThat(children(tunnel)).hasSize(5).allSatisfy(child -> {
            var owner = child.getMetadata().getOwnerReferences().getFirst();
            assertThat(owner.getUid()).isEqualTo(tunnel.getMetadata().getUid());
            assertThat(owner.getController()).isTrue();
            assertThat(owner.getBlockOwnerDeletion()).isTrue();
        });
        assertThat(harness.deployment(tunnel)
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage())
                .isEqualTo(OperatorHarness.IMAGE);
    }

    @Test
    @Tag("parity-92")
    @Tag("parity-93")
    @Tag("parity-94")
    @Tag("parity-128")
    void followsDeploymentAndAgent() {
        var tunnel = harness.complete();
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        harness.awaitCondition(tunnel, ConditionType.TUNNEL_READY, Status.FALSE, Reason.TUNNEL_CONNECTING);

        harness.deploymentIsAvailable(tunnel);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_TUNNEL);

        harness.agentReports(tunnel, Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online from agent pod a.");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);
        var online = harness.read(tunnel).observed();
        assertThat(message(online.conditions(), ConditionType.TUNNEL_READY))
                .isEqualTo("Tunnel is online from agent pod a.");
        assertThat(online.forwardingAddress()).isEqualTo("https://web.example.com");

        harness.deploymentIsPending(tunnel);
        harness.agentReports(tunnel, Status.FALSE, Reason.TUNNEL_DISCONNECTED, "connection reset");
        harness.awaitTunnel(
                tunnel, present -> "connection reset".equals(present.observed().lastError()));
        var offline = harness.read(tunnel).observed();
        assertThat(message(offline.conditions(), ConditionType.READY)).contains("connection reset");
        assertThat(offline.forwardingAddress()).isNull();
        assertThat(offline.tunnelID()).isNull();
    }

    @Test
    void leavesTheAgentsConditionToTheAgent() {
        var tunnel = harness.online();

        harness.settle(tunnel);

        var owners = harness.read(tunnel).getMetadata().getManagedFields().stream()
                .filter(entry -> "status".equals(entry.getSubresource()))
                .filter(entry -> entry.getFieldsV1().toString().contains("TunnelReady"))
                .map(entry -> entry.getManager())
                .toList();
        assertThat(owners).containsExactly(WellKnown.FIELD_MANAGER_AGENT);
    }

    @Test
    @Tag("parity-89")
    void writesNothingWhenNothingChanged() {
        var tunnel = harness.online();
        harness.settle(tunnel);
        var before = versions(tunnel);
        var statusBefore = harness.read(tunnel).observed();
        harness.api().forgetCalls();

        harness.settle(tunnel);

        assertThat(versions(tunnel)).isEqualTo(before);
        assertThat(harness.read(tunnel).observed()).isEqualTo(statusBefore);
        assertThat(writesFor(tunnel)).isEmpty();
    }

    @Test
    @Tag("parity-89")
    void writesNothingAfterARestart() throws IOException {
        var tunnel = harness.online();
        harness.settle(tunnel);
        var before = versions(tunnel);
        harness.api().forgetCalls();

        harness.restartOperator();
        harness.settle(tunnel);

        assertThat(versions(tunnel)).isEqualTo(before);
        assertThat(writesFor(tunnel)).isEmpty();
    }

    @Test
    void finishesThePassUnderWayWithWhatItKnowsWhenItStops() throws IOException, InterruptedException {
        var tunnel = harness.online();
        harness.settle(tunnel);
        harness.api().forgetCalls();
        var writing = new CountDownLatch(1);
        var closing = new CountDownLatch(1);
        harness.api().answer(call -> holdConfigMap(call, tunnel, writing, closing), 500, 1);
        harness.merge(tunnel, "{\"spec\":{\"labels\":{\"a\":\"b\"}}}");
        assertThat(writing.await(30, TimeUnit.SECONDS)).isTrue();

        var closer = Thread.ofPlatform().start(harness.operator()::close);
        await().until(closer::getState, state -> state == State.WAITING || state == State.TIMED_WAITING);
        closing.countDown();
        closer.join();

        var name = harness.childName(tunnel);
        assertThat(writesFor(tunnel))
                .containsExactly(
                        "patch configmaps " + name + "-config",
                        "patch deployments " + name,
                        "patch rstreamtunnels/status web");
        harness.restartOperator();
    }

    private static boolean holdConfigMap(
            Call call, RstreamTunnel tunnel, CountDownLatch writing, CountDownLatch closing) {
        if (call.verb().equals("patch")
                && call.resource().equals("configmaps")
                && call.namespace().equals(tunnel.getMetadata().getNamespace())) {
            writing.countDown();
            try {
                assertThat(closing.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return false;
    }

    @Test
    @Tag("parity-88")
    void restoresWhatOthersDeleteOrEdit() {
        var tunnel = harness.online();
        var uids = children(tunnel).stream()
                .map(child -> child.getMetadata().getUid())
                .toList();

        children(tunnel).forEach(child -> harness.client().resource(child).delete());

        eventually(() -> assertThat(children(tunnel))
                .hasSize(5)
                .noneMatch(child -> uids.contains(child.getMetadata().getUid())));
        harness.client()
                .resource(harness.deployment(tunnel))
                .edit(deployment ->
                        deployment.edit().editSpec().withReplicas(0).endSpec().build());
        eventually(() ->
                assertThat(harness.deployment(tunnel).getSpec().getReplicas()).isEqualTo(1));
    }

    @Test
    @Tag("parity-88")
    void undoesEditsOfEveryChild() {
        var tunnel = harness.online();
        harness.settle(tunnel);
        var namespace = tunnel.getMetadata().getNamespace();
        var name = harness.childName(tunnel);
        var client = harness.client();
        var before = wanted(tunnel);

        client.configMaps()
                .inNamespace(namespace)
                .withName(name + "-config")
                .edit(map -> map.edit().addToData("config.yaml", "broken").build());
        client.rbac()
                .roles()
                .inNamespace(namespace)
                .withName(name)
                .edit(role -> role.edit().withRules(List.of()).build());
        client.rbac()
                .roleBindings()
                .inNamespace(namespace)
                .withName(name)
                .edit(binding -> binding.edit().withSubjects(List.of()).build());
        client.serviceAccounts()
                .inNamespace(namespace)
                .withName(name)
                .edit(account -> account.edit()
                        .editMetadata()
                        .addToLabels(WellKnown.LABEL_TUNNEL_UID, "another")
                        .endMetadata()
                        .build());

        eventually(() -> assertThat(wanted(tunnel)).isEqualTo(before));
    }

    /** What the operator states of the children other than the Deployment. */
    private static List<Object> wanted(RstreamTunnel tunnel) {
        return children(tunnel).stream()
                .<Object>map(child -> switch (child) {
                    case ConfigMap map -> map.getData();
                    case Role role -> role.getRules();
                    case RoleBinding binding -> binding.getSubjects();
                    default -> child.getMetadata().getLabels();
                })
                .toList();
    }

    @Test
    @Tag("parity-82")
    @Tag("parity-84")
    @Tag("parity-89")
    void writesNothingForATunnelWithEverySettingOfItsPod() {
        var tunnel = harness.tunnelWithEverySetting();
        harness.settle(tunnel);
        var before = versions(tunnel);
        harness.api().forgetCalls();

        harness.settle(tunnel);

        var pod = harness.deployment(tunnel).getSpec().getTemplate().getSpec();
        assertThat(pod.getNodeSelector()).containsEntry("zone", "a");
        assertThat(pod.getVolumes()).anyMatch(volume -> volume.getProjected() != null);
        assertThat(before).hasSize(5);
        assertThat(versions(tunnel)).isEqualTo(before);
        assertThat(writesFor(tunnel)).isEmpty();
    }

    @Test
    @Tag("parity-137")
    void letsARolloutRestartAndForeignLabelsStand() {
        var tunnel = harness.online();
        harness.client()
                .apps()
                .deployments()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName(harness.childName(tunnel))
                .rolling()
                .restart();
        harness.client()
                .resource(harness.deployment(tunnel))
                .edit(deployment -> deployment
                        .edit()
                        .editMetadata()
                        .addToLabels("team", "blue")
                        .endMetadata()
                        .build());

        harness.settle(tunnel);

        var deployment = harness.deployment(tunnel);
        assertThat(deployment.getSpec().getTemplate().getMetadata().getAnnotations())
                .containsKeys("kubectl.kubernetes.io/restartedAt", WellKnown.ANNOTATION_CONFIG_HASH);
        assertThat(deployment.getMetadata().getLabels()).containsEntry("team", "blue");
    }

    @Test
    @Tag("parity-54")
    @Tag("parity-132")
    void isNotReadyForANewSpecBeforeItsPodIs() {
        var tunnel = harness.online();
        var hash = hash(tunnel);

        harness.merge(tunnel, "{\"spec\":{\"labels\":{\"a\":\"b\"}}}");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);

        assertThat(hash(tunnel)).isNotEqualTo(hash);
        assertThat(harness.read(tunnel).observed().observedGeneration()).isEqualTo(2);
        harness.deploymentIsAvailable(tunnel);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);
    }

    @Test
    @Tag("parity-97")
    void removesChildrenThenTheFinalizer() {
        var tunnel = harness.online();
        var name = harness.childName(tunnel);
        harness.api().forgetCalls();

        harness.client().resource(tunnel).delete();

        eventually(() -> assertThat(harness.read(tunnel)).isNull());
        assertThat(children(tunnel)).isEmpty();
        assertThat(writesFor(tunnel))
                .containsExactly(
                        "patch rstreamtunnels/status web",
                        "delete deployments " + name,
                        "delete configmaps " + name + "-config",
                        "delete rolebindings " + name,
                        "delete roles " + name,
                        "delete serviceaccounts " + name,
                        "patch rstreamtunnels web");
    }

    @Test
    @Tag("parity-98")
    void deletesATunnelWhoseChildrenAreGone() {
        var namespace = harness.namespace();
        var tunnel = harness.tunnel(namespace, "web", "");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.CONNECTION_MISSING);

        harness.client().resource(tunnel).delete();

        eventually(() -> assertThat(harness.read(tunnel)).isNull());
    }

    @Test
    @Tag("parity-98")
    void deletesATunnelSomeOfWhoseChildrenAreGone() throws IOException {
        var tunnel = harness.online();
        harness.operator().close();
        children(tunnel).stream()
                .filter(child -> child instanceof ConfigMap || child instanceof RoleBinding)
                .forEach(child -> harness.client().resource(child).delete());
        harness.client().resource(tunnel).delete();

        harness.restartOperator();

        eventually(() -> assertThat(harness.read(tunnel)).isNull());
        assertThat(children(tunnel)).isEmpty();
    }

    @Test
    @Tag("parity-88")
    void restoresOwnerReferences() {
        var tunnel = harness.online();

        harness.client()
                .resource(harness.deployment(tunnel))
                .edit(deployment -> deployment
                        .edit()
                        .editMetadata()
                        .withOwnerReferences(List.of())
                        .endMetadata()
                        .build());

        eventually(() -> assertThat(harness.deployment(tunnel).getMetadata().getOwnerReferences())
                .isNotEmpty());
    }

    @Test
    void sparesAnObjectOfTheSameNameThatSomebodyElseControls() {
        var namespace = harness.namespace();
        var tunnel = harness.tunnel(namespace, "web", "");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.CONNECTION_MISSING);
        var foreign = harness.foreignServiceAccount(tunnel);

        harness.secret(namespace);
        harness.service(namespace);
        harness.connection(namespace);

        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.DEPLOYMENT_FAILED);
        assertThat(harness.read(tunnel).observed().lastError())
                .isEqualTo("ServiceAccount \"%s\" is controlled by another object; delete or rename it"
                        .formatted(harness.childName(tunnel)));
        harness.client().resource(tunnel).delete();
        eventually(() -> assertThat(harness.read(tunnel)).isNull());
        assertThat(harness.client().resource(foreign).get()).isNotNull();
    }

    @Test
    @Tag("parity-71")
    void keepsSecretValuesOutOfEverything() {
        var tunnel = harness.online();

        var texts = Stream.concat(children(tunnel).stream(), Stream.of(harness.read(tunnel)))
                .map(object -> harness.client().getKubernetesSerialization().asYaml(object))
                .toList();

        assertThat(texts)
                .hasSize(6)
                .allSatisfy(text -> assertThat(text)
                        .doesNotContain(OperatorHarness.MARKER)
                        .doesNotContain(java.util.Base64.getEncoder()
                                .encodeToString(
                                        OperatorHarness.MARKER.getBytes(java.nio.charset.StandardCharsets.UTF_8))));
    }

    private static String message(List<Condition> conditions, ConditionType type) {
        return Conditions.find(conditions, type).orElseThrow().message();
    }

    private static String hash(RstreamTunnel tunnel) {
        return harness.deployment(tunnel)
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getAnnotations()
                .get(WellKnown.ANNOTATION_CONFIG_HASH);
    }

    private static List<String> writesFor(RstreamTunnel tunnel) {
        return harness.writes().stream()
                .filter(call -> call.namespace().equals(tunnel.getMetadata().getNamespace()))
                .filter(call -> !call.resource().equals("rstreamconnections"))
                .filter(call -> !call.resource().equals("events")) // written beside the passes, in no fixed order
                .map(TunnelLifecycleIT::describe)
                .toList();
    }

    private static String describe(Call call) {
        var subresource = call.subresource().isEmpty() ? "" : "/" + call.subresource();
        return call.verb() + " " + call.resource() + subresource + " " + call.name();
    }

    private static Map<String, String> versions(RstreamTunnel tunnel) {
        return children(tunnel).stream()
                .collect(java.util.stream.Collectors.toMap(
                        HasMetadata::getKind, child -> child.getMetadata().getResourceVersion()));
    }

    private static List<HasMetadata> children(RstreamTunnel tunnel) {
        var namespace = tunnel.getMetadata().getNamespace();
        var name = harness.childName(tunnel);
        var client = harness.client();
        return Stream.<HasMetadata>of(
                        client.configMaps()
                                .inNamespace(namespace)
                                .withName(name + "-config")
                                .get(),
                        client.resources(ServiceAccount.class)
                                .inNamespace(namespace)
                                .withName(name)
                                .get(),
                        client.resources(Role.class)
                                .inNamespace(namespace)
                                .withName(name)
                                .get(),
                        client.resources(RoleBinding.class)
                                .inNamespace(namespace)
                                .withName(name)
                                .get(),
                        client.apps()
                                .deployments()
                                .inNamespace(namespace)
                                .withName(name)
                                .get())
                .filter(java.util.Objects::nonNull)
                .toList();
    }
}
