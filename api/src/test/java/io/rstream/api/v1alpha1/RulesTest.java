package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RulesTest {

    private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

    static Stream<RuleCase> cases() {
        return RuleCase.all().stream().filter(RuleCase::concernsJavaRules);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reportsExactlyTheDocumentedViolations(RuleCase rule) {
        var expected = Stream.concat(rule.both().stream(), rule.java().stream()).toList();

        var violations = rule.violations();

        assertThat(violations).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void namesTheFieldOfEachViolation() {
        var tunnel = new RstreamTunnel();
        tunnel.setSpec(Yaml.tunnel("""
                target: {service: {name: web, port: http}}
                protocol: tls
                tcpPort: 7
                http: {}
                trustedIPs: [10.0.0.0/8, nowhere]
                """));

        var paths = TunnelRules.violations(tunnel).stream().map(Violation::path).toList();

        assertThat(paths).isEqualTo(List.of("spec.tcpPort", "spec.http", "spec.trustedIPs[1]"));
    }

    @Test
    void saysWhereTheFaultIsAndWhatStandsThere() {
        var tunnel = new RstreamTunnel();
        tunnel.setSpec(Yaml.tunnel("""
                target: {service: {name: web, port: 70000}}
                protocol: tcp
                hostname: %s
                tls: {}
                """.formatted("x".repeat(65))));
        var connection = new RstreamConnection();
        connection.setSpec(Yaml.read("{projectID: p, engine: 'a:b'}", RstreamConnectionSpec.class));

        var texts = Stream.of(TunnelRules.violations(tunnel), ConnectionRules.violations(connection))
                .flatMap(List::stream)
                .map(Violation::text);

        assertThat(texts)
                .containsExactly(
                        TunnelRules.SERVICE_PORT + " (spec.target.service.port: 70000)",
                        TunnelRules.TCP_WITHOUT_HOSTNAME + " (spec.hostname: \"" + "x".repeat(64) + "…\")",
                        TunnelRules.TCP_WITHOUT_HTTP_OR_TLS + " (spec.tls)",
                        ConnectionRules.ONE_CREDENTIAL + " (spec: neither is set)",
                        ConnectionRules.ONE_SELECTOR + " (spec: projectID, engine are set)",
                        "engine \"a:b\" is not an address; use host:port, such as edge.example.com:443 (spec.engine)");
    }

    @Test
    void takesNoControlCharacterInAName() {
        var tunnel = new RstreamTunnel();
        tunnel.setSpec(Yaml.tunnel("{target: {service: {name: web, port: http}}, tunnelName: \"one\\ntwo\"}"));

        var violations = TunnelRules.violations(tunnel);

        assertThat(violations)
                .containsExactly(new Violation(
                        "spec.tunnelName", "tunnelName holds a control character; use letters, digits, and signs"));
    }

    @Test
    void boundsTheNamesOfATunnel() {
        var tunnel = new RstreamTunnel();
        tunnel.getMetadata().setName("x".repeat(64));
        tunnel.setSpec(
                Yaml.tunnel("{target: {service: {name: web, port: http}}, tunnelName: %s}".formatted("木".repeat(254))));

        var violations = TunnelRules.violations(tunnel);

        assertThat(violations)
                .containsExactly(
                        new Violation(
                                "metadata.name",
                                "metadata.name has 64 characters; the agent carries it as a label, so use at most 63"),
                        new Violation("spec.tunnelName", "tunnelName has 254 characters; use at most 253"));
    }

    @Test
    void keepsAnUnreadablePartAsItCame() {
        var text = """
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: web, uid: u-1}
                spec: {target: {service: {name: web, port: 99999999999}}, hostname: h}
                status: {target: 'web:80', conditions: [{type: Ready, status: Perhaps}]}
                """;

        var copy = SERIALIZATION.clone(SERIALIZATION.unmarshal(text, RstreamTunnel.class));

        assertThat(copy.getMetadata().getUid()).isEqualTo("u-1");
        assertThat(copy.unreadableSpec()).map(Violation::path).contains("spec.target.service.port");
        assertThat(copy.observed()).isEqualTo(RstreamTunnelStatus.empty());
        assertThat(Yaml.tree(SERIALIZATION.asYaml(copy))).isEqualTo(Yaml.tree(text));
    }

    @Test
    void readsTheRestOfAListWithAnUnreadableObject() {
        var list = SERIALIZATION.unmarshal("""
                {"apiVersion": "tunnels.rstream.io/v1alpha1", "kind": "RstreamConnectionList", "items": [
                  {"metadata": {"name": "a"}, "spec": {"transport": {"mode": "udp"}}},
                  {"metadata": {"name": "b"}, "spec": {"tokenSecretRef": {"key": "token"}}},
                  {"metadata": {"name": "c"}, "spec": {"engine": "edge.example.com:443"}}]}
                """, Connections.class);

        assertThat(list.getItems())
                .extracting(connection -> connection.unreadableSpec().map(Violation::path))
                .containsExactly(
                        Optional.of("spec.transport.mode"), Optional.of("spec.tokenSecretRef"), Optional.empty());
    }

    /** What the client reads a list of connections into. */
    static final class Connections extends DefaultKubernetesResourceList<RstreamConnection> {}
}
