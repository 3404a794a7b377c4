package io.rstream.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the configuration file must hold, place by place (operator reference, 4.2). */
class AgentConfigPromisesTest {

    private static final String SMALLEST = """
            connection: {engine: edge.example.com, transport: {bind: {}, dns: {}, proxy: {}}}
            tunnel: {name: web, http: {auth: {}, gate: {}}, tls: {}, labels: {any: thing}}
            target: {host: web, port: "80"}
            kubernetes: {enabled: false}
            retry: {initial: 1s}
            """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "connection: {",
                "transport: {",
                "bind: {",
                "dns: {",
                "proxy: {",
                "tunnel: {",
                "http: {",
                "auth: {",
                "gate: {",
                "tls: {",
                "target: {",
                "kubernetes: {",
                "retry: {"
            })
    @Tag("parity-99")
    void refusesAnUnknownKeyInEveryObject(String place) throws Exception {
        assertThat(AgentConfigFile.parse(SMALLEST).tunnel().labels()).containsKey("any");
        var start = SMALLEST.indexOf(place) + place.length();
        var separator = SMALLEST.charAt(start) == '}' ? "" : ", ";
        var yaml = SMALLEST.substring(0, start) + "unknown: 1" + separator + SMALLEST.substring(start);

        assertThatThrownBy(() -> AgentConfigFile.parse(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("decode config: unknown key ")
                .hasMessageContaining(place.replace(": {", "") + ".unknown;");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                engine: edge.example.com            | engine: ' '                      | connection.engine is required
                engine: edge.example.com, transport | transport                        | connection.engine is required
                name: web                           | name: ''                         | tunnel.name is required
                host: web                           | host: ' '                        | target.host is required
                host: web, port: "80"               | host: web                        | target.port is required
                port: "80"                          | port: ' '                        | target.port is required
                transport                           | mtls: {keyFile: k}, transport    | connection.mtls.certFile is required
                transport                           | mtls: {certFile: c, keyFile: ' '}, transport | connection.mtls.keyFile is required
                enabled: false                      | enabled: true, tunnelName: web   | kubernetes.namespace is required when kubernetes.enabled is true
                enabled: false                      | enabled: true, namespace: shop   | kubernetes.tunnelName is required when kubernetes.enabled is true
                """)
    @Tag("parity-100")
    void saysWhichValueIsMissing(String text, String replacement, String message) {
        assertThat(SMALLEST).contains(text);

        assertThatThrownBy(() -> AgentConfigFile.parse(SMALLEST.replace(text, replacement)))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    @Test
    @Tag("parity-100")
    void namesWhatIsMissingInTheDocumentedOrder() {
        assertThatThrownBy(() -> AgentConfigFile.parse("""
                        connection: {mtls: {}}
                        kubernetes: {enabled: true}
                        """))
                .hasMessage("connection.engine is required; tunnel.name is required; target.host is required;"
                        + " target.port is required; connection.mtls.certFile is required;"
                        + " connection.mtls.keyFile is required;"
                        + " kubernetes.namespace is required when kubernetes.enabled is true;"
                        + " kubernetes.tunnelName is required when kubernetes.enabled is true");
    }
}
