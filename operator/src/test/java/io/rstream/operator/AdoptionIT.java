package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ours starts over what the Go operator has made, and the Go operator over what ours has made of it. */
class AdoptionIT {

    private static final String HOSTNAME = "r1a2b3c4d-project-42.t.edge.example.com";

    private static OperatorHarness harness;

    private IncumbentObjects incumbent;
    private RstreamTunnel tunnel;

    @BeforeAll
    static void start() throws IOException {
        harness = OperatorHarness.start();
    }

    @AfterAll
    static void stop() {
        harness.close();
    }

    @BeforeEach
    void leaveWhatTheIncumbentMade() throws IOException {
        harness.operator().close();
        incumbent = new IncumbentObjects(harness.client(), harness.namespace());
        tunnel = incumbent.create();
        incumbent.children(tunnel).forEach(child -> incumbent.decorate(child, ""));
        incumbent.decorate(deployment(), ",\"spec\":{\"revisionHistoryLimit\":3,\"minReadySeconds\":2}");
        incumbent.decorate(tunnel, "");
        harness.client()
                .resource(tunnel)
                .patch(
                        PatchContext.of(PatchType.JSON),
                        "[{\"op\":\"add\",\"path\":\"/metadata/finalizers/-\",\"value\":\"example.com/backup\"}]");
        harness.deploymentIsAvailable(tunnel);
    }

    @Test
    @Tag("parity-57")
    @Tag("parity-125")
    void takesOverEverythingWithOneRollout() throws IOException {
        var uids = uids();
        var before = deployment();

        harness.restartOperator();
        awaitOurs();
        harness.settle(tunnel);

        var after = deployment();
        assertThat(uids()).isEqualTo(uids);
        assertThat(after.getSpec().getSelector()).isEqualTo(before.getSpec().getSelector());
        assertThat(after.getMetadata().getGeneration())
                .isEqualTo(before.getMetadata().getGeneration() + 1);
        assertThat(image(after)).isEqualTo(OperatorHarness.IMAGE);
        var status = harness.read(tunnel).observed();
        assertThat(status.hostname()).isEqualTo(HOSTNAME);
        assertThat(status.forwardingAddress()).isEqualTo("https://" + HOSTNAME);
        assertThat(status.agentDeployment()).isEqualTo(harness.childName(tunnel));

        var versions = managed().versions();
        harness.restartOperator();
        harness.settle(tunnel);
        assertThat(managed().versions()).isEqualTo(versions);
    }

    @Test
    @Tag("parity-125")
    void keepsWhatOthersAddedAndDropsWhatOnlyTheIncumbentWanted() throws IOException {
        harness.restartOperator();
        awaitOurs();
        harness.settle(tunnel);

        assertThat(children()).hasSize(5).allMatch(IncumbentObjects::isDecorated);
        assertThat(children()).allMatch(IncumbentObjects::isOwnedByUs);
        var deployment = deployment();
        assertThat(deployment.getSpec().getRevisionHistoryLimit()).isEqualTo(3);
        assertThat(deployment.getSpec().getMinReadySeconds()).isEqualTo(2);
        assertThat(environment(deployment)).doesNotContain("RSTREAM_AUTHENTICATION_TOKEN");
        var present = harness.read(tunnel);
        assertThat(IncumbentObjects.isDecorated(present)).isTrue();
        assertThat(present.getFinalizers()).containsExactlyInAnyOrder(WellKnown.FINALIZER, "example.com/backup");
    }

    @Test
    @Tag("parity-125")
    void letsTheIncumbentTakeOverAgain() throws IOException {
        var uids = uids();
        var before = deployment();
        harness.restartOperator();
        awaitOurs();
        harness.settle(tunnel);
        harness.operator().close();

        incumbent.reconcile(tunnel);

        var back = deployment();
        assertThat(uids()).isEqualTo(uids);
        assertThat(back.getSpec()).isEqualTo(before.getSpec());
        assertThat(configFile())
                .isEqualTo(incumbent.children(tunnel).stream()
                        .filter(io.fabric8.kubernetes.api.model.ConfigMap.class::isInstance)
                        .map(io.fabric8.kubernetes.api.model.ConfigMap.class::cast)
                        .findFirst()
                        .orElseThrow()
                        .getData()
                        .get("config.yaml"));
        assertThat(harness.read(tunnel).observed().hostname()).isEqualTo(HOSTNAME);

        harness.restartOperator();
        awaitOurs();
        assertThat(uids()).isEqualTo(uids);
        assertThat(deployment().getSpec().getSelector())
                .isEqualTo(before.getSpec().getSelector());
    }

    private void awaitOurs() {
        eventually(() -> {
            assertThat(image(deployment())).isEqualTo(OperatorHarness.IMAGE);
            assertThat(configFile()).contains("hostname: " + HOSTNAME);
        });
    }

    private static String image(Deployment deployment) {
        return deployment
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getImage();
    }

    private static List<String> environment(Deployment deployment) {
        return deployment.getSpec().getTemplate().getSpec().getContainers().getFirst().getEnv().stream()
                .map(EnvVar::getName)
                .toList();
    }

    private Deployment deployment() {
        return java.util.Objects.requireNonNull(harness.deployment(tunnel));
    }

    private String configFile() {
        return harness.client()
                .configMaps()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName(harness.childName(tunnel) + "-config")
                .get()
                .getData()
                .get("config.yaml");
    }

    private ManagedChildren managed() {
        return new ManagedChildren(harness.client(), tunnel.getMetadata().getNamespace());
    }

    private List<? extends HasMetadata> children() {
        return ManagedChildren.KINDS.stream()
                .flatMap(kind -> managed().of(kind).stream())
                .toList();
    }

    /** Of all that the tunnel consists of: an object that was made anew has another one. */
    private Map<String, String> uids() {
        return children().stream()
                .collect(Collectors.toMap(
                        child -> child.getKind() + " " + child.getMetadata().getName(),
                        child -> child.getMetadata().getUid()));
    }
}
