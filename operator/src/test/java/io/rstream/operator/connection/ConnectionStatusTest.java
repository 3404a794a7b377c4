package io.rstream.operator.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamConnectionStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ConnectionStatusTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Map<String, SecretKeys> SECRETS =
            Map.of("rstream-token", new SecretKeys("rstream-token", "7", Set.of("token")));
    private static final String TOKEN = "tokenSecretRef: {name: rstream-token, key: token}";

    private final ConnectionResolver resolver = ConnectionResolver.withoutControlPlane();

    @Test
    @Tag("parity-23")
    @Tag("parity-40")
    void isReadyWithAnEngineAndATokenKey() {
        var status = status("{engine: ' edge.example.com:443 ', " + TOKEN + "}", SECRETS);

        assertThat(status)
                .isEqualTo(new RstreamConnectionStatus(
                        4L,
                        java.util.List.of(new Condition(
                                "Ready", Status.TRUE, "Ready", "Connection settings are ready.", NOW, 4L)),
                        null,
                        null,
                        null,
                        null,
                        "edge.example.com:443"));
    }

    @Test
    @Tag("parity-24")
    void missesASecret() {
        var status = status("{engine: edge.example.com, " + TOKEN + "}", Map.of());

        assertThat(ready(status))
                .isEqualTo(
                        "False SecretMissing Secret \"rstream-token\" was not found. Create the Secret with that key in the"
                                + " namespace of the RstreamConnection, or correct the reference.");
        assertThat(status.engine()).isNull();
    }

    @Test
    @Tag("parity-25")
    void missesAKey() {
        var status = status("{engine: edge.example.com, tokenSecretRef: {name: rstream-token, key: x}}", SECRETS);

        assertThat(ready(status)).startsWith("False SecretMissing secret \"rstream-token\" key \"x\" is missing");
    }

    @Test
    void missesACredential() {
        var status = status("{engine: edge.example.com}", SECRETS);

        assertThat(ready(status)).startsWith("False SecretMissing tokenSecretRef or mtls is required");
    }

    @Test
    void refusesAContradiction() {
        var status = status("{engine: edge.example.com, region: x, " + TOKEN + "}", SECRETS);

        assertThat(ready(status))
                .startsWith("False InvalidSpec region cannot be used with an explicit engine (spec.region: \"x\")");
    }

    @Test
    void refusesAnEngineThatTheAgentWouldRefuse() {
        var status = status("{engine: 'my_engine:443', " + TOKEN + "}", SECRETS);

        assertThat(ready(status)).startsWith("False InvalidSpec engine \"my_engine:443\" has no valid host name; ");
    }

    @Test
    void refusesASpecThatCannotBeRead() {
        var status = status("{engine: edge.example.com, transport: {mode: udp}, " + TOKEN + "}", SECRETS);

        assertThat(ready(status)).startsWith("False InvalidSpec spec.transport.mode \"udp\" is not a value that ");
    }

    @Test
    @Tag("parity-41")
    void keepsTheTransitionTimeWhileTheStatusStays() {
        var connection = connection("{engine: edge.example.com, " + TOKEN + "}");
        connection.setStatus(ConnectionStatus.of(connection, resolver.resolve(connection, Map.of()), NOW));

        var missingStill = ConnectionStatus.of(connection, resolver.resolve(connection, Map.of()), NOW.plusSeconds(60));
        var found = ConnectionStatus.of(connection, resolver.resolve(connection, SECRETS), NOW.plusSeconds(60));

        assertThat(missingStill).isEqualTo(connection.getStatus());
        assertThat(found.conditions().getFirst().lastTransitionTime()).isEqualTo(NOW.plusSeconds(60));
    }

    private RstreamConnectionStatus status(String spec, Map<String, SecretKeys> secrets) {
        var connection = connection(spec);
        return ConnectionStatus.of(connection, resolver.resolve(connection, secrets), NOW);
    }

    private static String ready(RstreamConnectionStatus status) {
        var condition = status.conditions().getFirst();
        return condition.status().value() + " " + condition.reason() + " " + condition.message();
    }

    private static RstreamConnection connection(String spec) {
        return new KubernetesSerialization().unmarshal("""
                metadata: {name: default, namespace: demo, generation: 4}
                spec: %s
                """.formatted(spec), RstreamConnection.class);
    }
}
