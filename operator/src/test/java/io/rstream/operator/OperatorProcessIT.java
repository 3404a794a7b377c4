package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.operator.controlplane.ControlPlaneOptions;
import io.rstream.operator.tunnel.AgentDefaults;
import io.rstream.process.BindAddress;
import io.rstream.testcluster.FaultyApi;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The operator as a process: start, health, metrics, election. */
class OperatorProcessIT {

    private static LocalCluster cluster;
    private static FaultyApi api;
    private static String token;

    @BeforeAll
    static void start() {
        cluster = LocalCluster.shared();
        cluster.installCrds();
        cluster.apply(LocalCluster.repositoryRoot().resolve("config/rbac"));
        token = cluster.serviceAccountToken(
                "rstream-system", "rstream-operator-controller-manager", Duration.ofHours(1));
        api = FaultyApi.before(cluster);
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @BeforeEach
    void behave() {
        api.behave();
    }

    @Test
    void servesHealthAndMetrics() throws IOException, InterruptedException {
        try (var operator = OperatorProcess.start(kubernetes(), OperatorOptions.local("agent:1"))) {
            var health = operator.healthPort().orElseThrow();
            assertThat(get(health, "/healthz")).isEqualTo("200 ok\n");
            assertThat(get(health, "/readyz")).isEqualTo("200 ok\n");
            assertThat(get(operator.metricsPort().orElseThrow(), "/metrics"))
                    .startsWith("200 ")
                    .contains("reconciliations_")
                    .contains("jvm_memory_used_bytes");
        }
    }

    @Test
    void saysWhatToInstallWhenTheResourcesAreUnknown() {
        api.answer(call -> call.resource().equals("rstreamconnections"), 404, 1);

        assertThatThrownBy(() -> OperatorProcess.start(kubernetes(), OperatorOptions.local("agent:1")))
                .isInstanceOf(OperatorStartException.class)
                .hasMessage(
                        "the API server at %s/ does not know rstreamconnections.tunnels.rstream.io; install the custom"
                                        .formatted(api.uri())
                                + " resource definitions first (kubectl apply -f config/crd/bases)");
    }

    @Test
    void saysThatTheApiServerCannotBeReached() {
        var nobody = cluster.configFor(token);
        nobody.setMasterUrl("https://127.0.0.1:1/");

        assertThatThrownBy(() -> OperatorProcess.start(nobody, OperatorOptions.local("agent:1")))
                .isInstanceOf(OperatorStartException.class)
                .hasMessageStartingWith("cannot list rstreamconnections.tunnels.rstream.io at https://127.0.0.1:1/: ");
    }

    @Test
    void saysThatAPortIsTaken() throws IOException {
        try (var operator = OperatorProcess.start(kubernetes(), OperatorOptions.local("agent:1"))) {
            var taken = new BindAddress("127.0.0.1", operator.healthPort().orElseThrow());

            assertThatThrownBy(() -> OperatorProcess.start(
                            kubernetes(),
                            new OperatorOptions(
                                    null,
                                    taken,
                                    AgentDefaults.ofImage("agent:1"),
                                    null,
                                    Set.of(),
                                    ControlPlaneOptions.standard())))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot listen on 127.0.0.1:" + taken.port());
        }
    }

    @Test
    @Tag("parity-118")
    void leadsUnderTheShippedRoleAndTellsWhenTheLeaseIsLost() throws IOException {
        List<String> failures = new CopyOnWriteArrayList<>();
        var election = new OperatorOptions.LeaderElection("rstream-system", "first");
        var options = OperatorOptions.local("agent:1").withLeaderElection(election);
        try (var operator = OperatorProcess.start(kubernetes(), options, failures::add)) {
            assertThat(operator.healthPort()).isPresent();
            eventually(() -> assertThat(holder()).isEqualTo("first"));

            cluster.client()
                    .resources(Lease.class)
                    .inNamespace("rstream-system")
                    .withName(OperatorOptions.LEASE)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"holderIdentity\":\"second\"}}");

            eventually(() -> assertThat(failures)
                    .containsExactly("the Lease was lost to another operator or could not be renewed"));
        }
    }

    @Test
    @Tag("parity-117")
    void givesTheLeaseBackSoThatASuccessorLeadsAtOnce() throws IOException {
        var first = leading("leaver");
        eventually(() -> assertThat(holder()).isEqualTo("leaver"));

        first.close();

        assertThat(holder()).isEmpty();
        try (var _ = leading("successor")) {
            eventually(() -> assertThat(holder()).isEqualTo("successor"));
        }
        assertThat(holder()).isEmpty();
    }

    private static OperatorProcess leading(String identity) throws IOException {
        var election = new OperatorOptions.LeaderElection("rstream-system", identity);
        return OperatorProcess.start(
                kubernetes(), OperatorOptions.local("agent:1").withLeaderElection(election));
    }

    private static String holder() {
        var lease = cluster.client()
                .resources(Lease.class)
                .inNamespace("rstream-system")
                .withName(OperatorOptions.LEASE)
                .get();
        return lease == null ? "" : lease.getSpec().getHolderIdentity();
    }

    private static Config kubernetes() {
        return api.configFor(token);
    }

    private static String get(int port, String path) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var response = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        }
    }
}
