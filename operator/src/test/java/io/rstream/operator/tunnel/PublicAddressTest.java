package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.operator.connection.ConnectionResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublicAddressTest {

    @ParameterizedTest
    @ValueSource(strings = {"hostname: Shop.example.org", "protocol: tcp, tcpPort: 5432"})
    void findsInAConfigurationFileWhatTheSpecAskedFor(String fields) {
        var tunnel = Samples.web("{%s, target: {service: {name: web, port: 8080}}}".formatted(fields));
        var inputs = Samples.inputs(
                tunnel,
                Samples.connection("{engine: 'edge.example.com:443', tokenSecretRef: {name: t, key: token}}"),
                """
                apiVersion: v1
                kind: Secret
                metadata: {name: t, resourceVersion: "1"}
                data: {token: ""}
                """,
                Samples.service("[{port: 8080}]"));

        var plan = new TunnelPlanner(ConnectionResolver.withoutControlPlane(), AgentDefaults.ofImage("agent:1"))
                .plan(inputs);

        assertThat(plan)
                .isInstanceOfSatisfying(
                        TunnelPlan.Ready.class,
                        ready -> assertThat(PublicAddress.configured(
                                        ready.workload().configFile()))
                                .isPresent()
                                .isEqualTo(PublicAddress.wanted(tunnel)));
    }

    @Test
    void findsNothingInAFileThatNoAgentCanRead() {
        assertThat(PublicAddress.configured("tunnel: [")).isEmpty();
    }
}
