package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an absent field means. */
class RstreamTunnelSpecTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                                     | bytestream | TCP",
                "protocol: http                       | bytestream | TCP",
                "http: {version: h2c}                 | bytestream | TCP",
                "http: {version: h3}                  | datagram   | UDP",
                "protocol: tls                        | bytestream | TCP",
                "'{protocol: tls, http: {version: h3}}' | bytestream | TCP",
                "protocol: tcp                        | bytestream | TCP",
                "protocol: dtls                       | datagram   | UDP",
                "protocol: quic                       | datagram   | UDP",
                "'{protocol: quic, type: bytestream}' | bytestream | TCP",
                "type: datagram                       | datagram   | UDP",
            })
    @Tag("parity-50")
    @Tag("parity-65")
    void infersTypeAndServiceProtocol(String yaml, String type, String serviceProtocol) {
        var spec = Yaml.tunnel(yaml == null ? "{}" : yaml);

        assertThat(spec.effectiveType().value()).isEqualTo(type);
        assertThat(spec.requiredServiceProtocol()).isEqualTo(serviceProtocol);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                            | default",
                "{connectionRef: {}}           | default",
                "{connectionRef: {name: ''}}   | default",
                "{connectionRef: {name: edge}} | edge",
            },
            quoteCharacter = '"')
    @Tag("parity-43")
    void usesTheConnectionNamedDefaultUnlessItNamesOne(String yaml, String connection) {
        assertThat(Yaml.tunnel(yaml).connectionName()).isEqualTo(connection);
    }

    @Test
    @Tag("parity-52")
    void looksForTheServiceInItsOwnNamespaceUnlessItNamesOne() {
        var own = Yaml.tunnel("target: {service: {name: web, port: 80}}");
        var other = Yaml.tunnel("target: {service: {name: web, port: 80, namespace: shop}}");

        assertThat(own.serviceNamespace("demo")).isEqualTo("demo");
        assertThat(other.serviceNamespace("demo")).isEqualTo("shop");
    }

    @Test
    @Tag("parity-8")
    void isPublishedOverHttpUnlessItSaysOtherwise() {
        var spec = Yaml.tunnel("{}");

        assertThat(spec.published()).isTrue();
        assertThat(spec.effectiveProtocol()).isEqualTo(TunnelProtocol.HTTP);
        assertThat(spec.effectiveHttpVersion()).isEqualTo(HttpSettings.Version.HTTP_1_1);
        assertThat(Yaml.tunnel("publish: false").published()).isFalse();
    }

    @Test
    @Tag("parity-55")
    @Tag("parity-60")
    void trimsDeclaredNames() {
        var spec = Yaml.tunnel("{hostname: ' web.example.com ', tunnelName: '  shop '}");
        var blank = Yaml.tunnel("{hostname: ' ', tunnelName: ''}");

        assertThat(spec.declaredHostname()).contains("web.example.com");
        assertThat(spec.declaredTunnelName()).contains("shop");
        assertThat(blank.declaredHostname()).isEmpty();
        assertThat(blank.declaredTunnelName()).isEmpty();
    }
}
