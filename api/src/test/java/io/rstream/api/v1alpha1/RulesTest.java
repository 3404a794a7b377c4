package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RulesTest {

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
}
