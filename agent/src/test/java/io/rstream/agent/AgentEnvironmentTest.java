package io.rstream.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfigFile;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AgentEnvironmentTest {
    private static AgentConfig config() throws Exception {
        return AgentConfigFile.parse("""
                connection:
                  engine: edge.example.com
                  transport: {proxy: {http: 'http://p', usernameEnv: PROXY_U, passwordEnv: PROXY_P}}
                tunnel: {name: web}
                target: {host: web, port: "80"}
                kubernetes: {enabled: true, namespace: shop, tunnelName: web, podNameEnv: POD, podNamespaceEnv: POD_NS}
                """);
    }

    @Test
    void readsTheVariablesThatTheFileNames() throws Exception {
        AgentEnvironment environment = AgentEnvironment.of(
                config(),
                Map.of(
                        "RSTREAM_AUTHENTICATION_TOKEN", " marker \n",
                        "SSL_CERT_FILE", "/etc/ca.pem",
                        "PROXY_U", "user",
                        "PROXY_P_FILE", "/etc/pass",
                        "POD", "web-1",
                        "POD_NS", "shop"));

        assertThat(environment.token().read().reveal()).isEqualTo("marker");
        assertThat(environment.trustFile()).isEqualTo(Path.of("/etc/ca.pem"));
        assertThat(environment.proxy().username().read().reveal()).isEqualTo("user");
        assertThat(environment.proxy().password().file()).isEqualTo(Path.of("/etc/pass"));
        assertThat(environment.pod()).isEqualTo("web-1");
        assertThat(environment.podNamespace()).isEqualTo("shop");
        assertThat(environment).asString().doesNotContain("marker", "user]");
    }

    @Test
    void takesEmptyForAbsent() throws Exception {
        AgentEnvironment environment = AgentEnvironment.of(config(), Map.of("RSTREAM_AUTHENTICATION_TOKEN", " "));

        assertThat(environment.token().read()).isNull();
        assertThat(environment.trustFile()).isNull();
        assertThat(environment.proxy().read().password()).isNull();
        assertThat(environment.pod()).isEmpty();
    }
}
