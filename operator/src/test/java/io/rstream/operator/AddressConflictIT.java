package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnel;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two tunnels ask for one host name or TCP port. Objects made within one second are ordered by UID, which nobody chooses. */
class AddressConflictIT {

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
    void youngerTunnelNamesTheOlderAndGoesOnWhenThatIsGone() {
        var hostname = UUID.randomUUID() + ".example.com";
        var pair = byAge(tunnel("hostname: " + hostname), tunnel("hostname: " + hostname));
        var older = pair.getFirst();
        var younger = pair.getLast();
        harness.awaitCondition(younger, ConditionType.READY, Status.FALSE, Reason.ADDRESS_CONFLICT);
        harness.awaitCondition(older, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        assertThat(message(younger))
                .isEqualTo(
                        "hostname \"%s\" belongs to the older tunnel \"%s/web\"; ask for another one, or delete that tunnel."
                                .formatted(hostname, older.getMetadata().getNamespace()));
        harness.awaitCondition(younger, ConditionType.ACCEPTED, Status.TRUE, Reason.ACCEPTED);
        eventually(() -> assertThat(agents(older)).isEqualTo(1));
        eventually(() -> assertThat(agents(younger)).isZero());

        harness.client().resource(older).delete();

        harness.awaitCondition(younger, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        eventually(() -> assertThat(agents(younger)).isEqualTo(1));
    }

    @Test
    void agentThatHoldsAnAddressMakesRoomForAnOlderTunnel() {
        var pair = byAge(tunnel("protocol: tcp"), tunnel("protocol: tcp"));
        var older = pair.getFirst();
        var younger = pair.getLast();
        harness.merge(younger, "{\"spec\":{\"tcpPort\":5432}}");
        eventually(() -> assertThat(configFile(younger)).contains("tcpPort: 5432"));
        harness.awaitCondition(younger, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);

        harness.merge(older, "{\"spec\":{\"tcpPort\":5432}}");
        harness.awaitCondition(younger, ConditionType.READY, Status.FALSE, Reason.ADDRESS_CONFLICT);
        eventually(() -> assertThat(agents(younger)).isZero());
        eventually(() -> assertThat(configFile(older)).contains("tcpPort: 5432"));

        harness.merge(younger, "{\"spec\":{\"tcpPort\":5433}}");
        harness.awaitCondition(younger, ConditionType.RESOLVED, Status.TRUE, Reason.RESOLVED);
        eventually(() -> assertThat(agents(younger)).isEqualTo(1));
    }

    @Test
    void agentGoesOnWithItsPresentAddressWhenItsTunnelAsksForOneThatIsTaken() {
        var taken = UUID.randomUUID() + ".example.com";
        var own = UUID.randomUUID() + ".example.com";
        var pair = byAge(tunnel(""), tunnel(""));
        var older = pair.getFirst();
        var younger = pair.getLast();
        harness.merge(older, hostname(taken));
        harness.merge(younger, hostname(own));
        eventually(() -> assertThat(configFile(younger)).contains(own));

        harness.merge(younger, hostname(taken));

        harness.awaitCondition(younger, ConditionType.READY, Status.FALSE, Reason.ADDRESS_CONFLICT);
        harness.settle(younger);
        assertThat(agents(younger)).isEqualTo(1);
        assertThat(configFile(younger)).contains(own);
    }

    private static String hostname(String name) {
        return "{\"spec\":{\"hostname\":\"%s\"}}".formatted(name);
    }

    private static RstreamTunnel tunnel(String fields) {
        var namespace = harness.namespace();
        harness.secret(namespace);
        harness.connection(namespace);
        harness.service(namespace);
        return harness.tunnel(namespace, "web", fields);
    }

    private static List<RstreamTunnel> byAge(RstreamTunnel one, RstreamTunnel other) {
        return Stream.of(one, other)
                .sorted(Comparator.comparing(
                                (RstreamTunnel tunnel) -> tunnel.getMetadata().getCreationTimestamp())
                        .thenComparing(tunnel -> tunnel.getMetadata().getUid()))
                .toList();
    }

    private static int agents(RstreamTunnel tunnel) {
        var deployment = harness.deployment(tunnel);
        return deployment == null ? 0 : deployment.getSpec().getReplicas();
    }

    private static String configFile(RstreamTunnel tunnel) {
        var configMap = harness.client()
                .configMaps()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName(harness.childName(tunnel) + "-config")
                .get();
        return configMap == null ? "" : configMap.getData().get("config.yaml");
    }

    private static String message(RstreamTunnel tunnel) {
        return Conditions.find(harness.read(tunnel).observed().conditions(), ConditionType.RESOLVED)
                .orElseThrow()
                .message();
    }
}
