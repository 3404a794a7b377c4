package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnectionStatus;
import io.rstream.api.v1alpha1.RstreamTunnel;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A status holds what other managers wrote, by updates as earlier versions of the operator do. */
class StatusOwnershipIT {

    private static final Condition FOREIGN = new Condition(
            "Synced", Status.TRUE, "Synced", "By somebody else.", Instant.parse("2026-01-02T03:04:05Z"), 1L);

    private static OperatorHarness harness;

    @BeforeAll
    static void start() throws IOException {
        harness = OperatorHarness.start();
    }

    @AfterAll
    static void stop() {
        harness.close();
    }

    @Test
    void clearsLeftoversOfAConnectionOnceAndKeepsForeignConditions() {
        var tunnel = harness.complete();
        var namespace = tunnel.getMetadata().getNamespace();
        eventually(() -> assertThat(harness.readConnection(namespace).observed().engine())
                .isEqualTo(OperatorHarness.ENGINE));
        harness.settle(tunnel);
        harness.api().forgetCalls();

        leaveInConnection(namespace, OperatorHarness.ENGINE);

        eventually(() -> assertThat(harness.readConnection(namespace).observed().region())
                .isNull());
        harness.settle(tunnel);
        assertThat(writes(namespace)).isBetween(1L, 4L);
        var status = harness.readConnection(namespace).observed();
        assertThat(status.projectID()).isNull();
        assertThat(status.projectEndpoint()).isNull();
        assertThat(status.apiURL()).isNull();
        assertThat(status.engine()).isEqualTo(OperatorHarness.ENGINE);
        assertThat(status.conditions()).hasSize(2).contains(FOREIGN);
        harness.api().forgetCalls();
        harness.settle(tunnel);
        assertThat(writes(namespace)).isZero();
    }

    @Test
    @Tag("parity-24")
    void clearsAllResolvedFieldsOfAConnectionWhoseSecretIsMissing() throws IOException {
        var tunnel = harness.complete();
        var namespace = tunnel.getMetadata().getNamespace();
        eventually(() -> assertThat(harness.readConnection(namespace).observed().engine())
                .isEqualTo(OperatorHarness.ENGINE));
        harness.operator().close();
        leaveInConnection(namespace, "old.example.com:443");
        harness.client()
                .secrets()
                .inNamespace(namespace)
                .withName("rstream-token")
                .delete();

        harness.restartOperator();

        eventually(() -> {
            var status = harness.readConnection(namespace).observed();
            var ready = Conditions.find(status.conditions(), ConditionType.READY);
            assertThat(ready.map(Condition::reason)).contains(Reason.SECRET_MISSING.code());
            assertThat(status)
                    .isEqualTo(new RstreamConnectionStatus(1L, status.conditions(), null, null, null, null, null));
        });
    }

    @Test
    void clearsLeftoversOfATunnelOnce() {
        var tunnel = onlineTcpTunnel();
        var namespace = tunnel.getMetadata().getNamespace();
        harness.settle(tunnel);
        harness.api().forgetCalls();

        harness.client().resource(harness.read(tunnel)).editStatus(present -> {
            var status = present.observed();
            present.setStatus(status.toBuilder()
                    .conditions(Conditions.put(status.conditions(), FOREIGN))
                    .hostname("old.t.example.com")
                    .lastError("an old error")
                    .build());
            return present;
        });

        harness.awaitTunnel(
                tunnel,
                present -> present.observed().lastError() == null
                        && present.observed().hostname() == null);
        harness.settle(tunnel);
        assertThat(writes(namespace)).isBetween(1L, 4L);
        assertThat(harness.read(tunnel).observed().conditions()).contains(FOREIGN);
        assertThat(harness.read(tunnel).observed().tunnelID()).isEqualTo("tunnel-1");
        harness.api().forgetCalls();
        harness.settle(tunnel);
        assertThat(writes(namespace)).isZero();
    }

    private static RstreamTunnel onlineTcpTunnel() {
        var namespace = harness.namespace();
        harness.secret(namespace);
        harness.connection(namespace);
        harness.service(namespace);
        return harness.bringOnline(harness.tunnel(namespace, "web", "protocol: tcp"));
    }

    private static void leaveInConnection(String namespace, String engine) {
        harness.client().resource(harness.readConnection(namespace)).editStatus(present -> {
            present.setStatus(new RstreamConnectionStatus(
                    present.observed().observedGeneration(),
                    Conditions.put(present.observed().conditions(), FOREIGN),
                    "https://rstream.io",
                    "p1",
                    "project-42",
                    "eu",
                    engine));
            return present;
        });
    }

    private static long writes(String namespace) {
        return harness.writes().stream()
                .filter(call -> call.namespace().equals(namespace))
                .filter(call -> call.subresource().equals("status"))
                .count();
    }
}
