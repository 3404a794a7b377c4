package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.rstream.api.v1alpha1.AgentReport;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.testcluster.Call;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The operator does all that it ever does, under exactly the shipped role: nothing is denied, and nothing is allowed in vain. */
class RoleAuditIT {

    private static LocalCluster cluster;

    @BeforeAll
    static void start() {
        cluster = LocalCluster.shared();
        cluster.installCrds();
    }

    @Test
    @Tag("parity-118")
    @Tag("parity-139")
    void needsAllOfTheClusterRoleAndNothingElse() throws IOException {
        var namespace = cluster.createNamespace("audited");
        try (var role = ShippedRole.clusterWide(cluster)) {

            var audit = audit(role, Set.of(), namespace);

            assertThat(ShippedRole.denied(audit.calls())).isEmpty();
            assertThat(role.unused(audit.calls(), audit.agentRoles())).isEmpty();
            assertThat(audit.calls())
                    .filteredOn(call -> call.resource().equals("secrets"))
                    .filteredOn(call -> Set.of("list", "watch").contains(call.verb()))
                    .isNotEmpty()
                    .allSatisfy(
                            call -> assertThat(call.accept()).startsWith("application/json;as=PartialObjectMetadata"));
            assertThat(audit.calls())
                    .filteredOn(call -> call.resource().equals("secrets"))
                    .filteredOn(call -> call.verb().equals("list"))
                    .as("both reconcilers share one watch")
                    .hasSize(1);
        }
    }

    @Test
    @Tag("parity-150")
    void looksAtNamedNamespacesOnlyUnderARoleInEach() throws IOException {
        var first = cluster.createNamespace("watched");
        var second = cluster.createNamespace("watched");
        var unwatched = cluster.createNamespace("unwatched");
        try (var role = ShippedRole.inNamespaces(cluster, List.of(first, second))) {

            var audit = audit(role, Set.of(first, second), first, second);

            assertThat(ShippedRole.denied(audit.calls())).isEmpty();
            assertThat(role.unused(audit.calls(), audit.agentRoles())).isEmpty();
            assertThat(audit.calls())
                    .filteredOn(call -> !call.resource().isEmpty())
                    .filteredOn(call -> !call.resource().startsWith("selfsubject"))
                    .allSatisfy(call -> assertThat(call.namespace()).isIn(first, second, role.home()));
            assertThat(audit.calls()).noneMatch(call -> call.namespace().equals(unwatched));
        }
    }

    @Test
    @Tag("parity-150")
    void leavesObjectsInOtherNamespacesAlone() throws IOException {
        var watched = cluster.createNamespace("watched");
        var unwatched = cluster.createNamespace("unwatched");
        try (var role = ShippedRole.inNamespaces(cluster, List.of(watched));
                var harness = start(role, Set.of(watched))) {
            var stranger = harness.completeIn(unwatched);
            var tunnel = harness.completeIn(watched);
            harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);

            harness.merge(tunnel, "{\"spec\":{\"target\":{\"service\":{\"namespace\":\"%s\"}}}}".formatted(unwatched));

            harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.FALSE, Reason.SERVICE_MISSING);
            assertThat(harness.read(tunnel).observed().lastError())
                    .startsWith("service \"web\" is in namespace \"%s\", which this operator does not watch;"
                            .formatted(unwatched));
            assertThat(harness.read(stranger).getStatus()).isNull();
            assertThat(harness.read(stranger).getMetadata().getFinalizers()).isEmpty();
            assertThat(harness.deployment(stranger)).isNull();
        }
    }

    private record Audit(List<Call> calls, List<Role> agentRoles) {}

    private static OperatorHarness start(ShippedRole role, Set<String> namespaces) throws IOException {
        var election = new OperatorOptions.LeaderElection(role.home(), "audit");
        return OperatorHarness.start(
                role.token(),
                OperatorOptions.local(OperatorHarness.IMAGE)
                        .withLeaderElection(election)
                        .withWatchNamespaces(namespaces));
    }

    private static Audit audit(ShippedRole role, Set<String> watched, String... namespaces) throws IOException {
        try (var harness = start(role, watched)) {
            for (var namespace : namespaces) {
                live(harness, namespace);
            }
            var roles = cluster.client()
                    .rbac()
                    .roles()
                    .inNamespace(namespaces[0])
                    .withLabel(WellKnown.LABEL_MANAGED_BY, WellKnown.APPLICATION_NAME)
                    .list()
                    .getItems();
            assertThat(roles).isNotEmpty();
            cluster.client()
                    .resources(RstreamTunnel.class)
                    .inNamespace(namespaces[0])
                    .delete();
            eventually(() -> assertThat(cluster.client()
                            .resources(RstreamTunnel.class)
                            .inNamespace(namespaces[0])
                            .list()
                            .getItems())
                    .isEmpty());
            harness.operator().close(); // gives the Lease back
            return new Audit(harness.api().calls(), roles);
        }
    }

    /** Everything that makes the operator call the API server. */
    private static void live(OperatorHarness harness, String namespace) {
        var tunnel = harness.completeIn(namespace);
        comesOnlineAndLosesItsPod(harness, tunnel);
        isBlockedTwice(harness, tunnel);
        hasItsChildrenRepaired(harness, tunnel);
        hasARival(harness, tunnel);
    }

    private static void comesOnlineAndLosesItsPod(OperatorHarness harness, RstreamTunnel tunnel) {
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        eventually(() -> assertThat(harness.deployment(tunnel)).isNotNull());
        var hash = harness.wantedHash(tunnel);
        var pod = harness.agentPod(tunnel, "agent-of-web");
        harness.deploymentIsAvailable(tunnel);
        harness.agentReports(
                tunnel,
                new AgentReport("agent-of-web", 1L, hash, null),
                Status.TRUE,
                Reason.TUNNEL_ONLINE,
                "Tunnel is online.");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);
        harness.loses(pod);
        harness.awaitTunnel(tunnel, present -> present.observed().agent() == null);
    }

    /** The second time raises the count of the Event of the first time. */
    private static void isBlockedTwice(OperatorHarness harness, RstreamTunnel tunnel) {
        var namespace = tunnel.getMetadata().getNamespace();
        for (var time = 0; time < 2; time++) {
            cluster.client().resource(secret(namespace)).delete();
            harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.SECRET_MISSING);
            harness.secret(namespace);
            harness.awaitCondition(tunnel, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        }
    }

    private static void hasItsChildrenRepaired(OperatorHarness harness, RstreamTunnel tunnel) {
        harness.merge(tunnel, "{\"spec\":{\"labels\":{\"a\":\"b\"}}}");
        var children = children(harness, tunnel);
        assertThat(children).hasSize(5);
        for (var child : children) {
            cluster.client().resource(child).delete();
            eventually(() -> assertThat(cluster.client().resource(child).get())
                    .isNotNull()
                    .extracting(present -> present.getMetadata().getUid())
                    .isNotEqualTo(child.getMetadata().getUid()));
        }
    }

    private static void hasARival(OperatorHarness harness, RstreamTunnel tunnel) {
        var hostname = tunnel.getMetadata().getNamespace() + ".example.com";
        var rival = harness.tunnel(tunnel.getMetadata().getNamespace(), "rival", "hostname: " + hostname);
        harness.awaitCondition(rival, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        eventually(() -> assertThat(harness.deployment(rival)).isNotNull());
        harness.merge(tunnel, "{\"spec\":{\"hostname\":\"%s\"}}".formatted(hostname));
        harness.awaitCondition(rival, ConditionType.READY, Status.FALSE, Reason.ADDRESS_CONFLICT);
        eventually(() ->
                assertThat(harness.deployment(rival).getSpec().getReplicas()).isZero());
    }

    private static List<HasMetadata> children(OperatorHarness harness, RstreamTunnel tunnel) {
        var namespace = tunnel.getMetadata().getNamespace();
        var name = harness.childName(tunnel);
        var client = cluster.client();
        return List.of(
                client.configMaps()
                        .inNamespace(namespace)
                        .withName(name + "-config")
                        .get(),
                client.serviceAccounts().inNamespace(namespace).withName(name).get(),
                client.rbac().roles().inNamespace(namespace).withName(name).get(),
                client.rbac()
                        .roleBindings()
                        .inNamespace(namespace)
                        .withName(name)
                        .get(),
                client.apps()
                        .deployments()
                        .inNamespace(namespace)
                        .withName(name)
                        .get());
    }

    private static Secret secret(String namespace) {
        return cluster.client()
                .secrets()
                .inNamespace(namespace)
                .withName("rstream-token")
                .get();
    }
}
