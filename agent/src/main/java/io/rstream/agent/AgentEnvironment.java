package io.rstream.agent;

import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfig.Kubernetes;
import io.rstream.agent.config.AgentConfig.Proxy;
import io.rstream.agent.config.AgentConfig.Transport;
import io.rstream.agent.connect.CredentialSource;
import io.rstream.agent.connect.ProxyCredentials;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the agent takes from environment variables (operator reference, section 4.1).
 *
 * @param token {@code RSTREAM_AUTHENTICATION_TOKEN}, or the file that {@code RSTREAM_AUTHENTICATION_TOKEN_FILE} names
 * @param trustFile {@code SSL_CERT_FILE}: PEM bundle in place of the system's trust anchors; null when empty
 * @param proxy the two variables that the proxy settings name, each with its {@code _FILE}
 * @param pod the variable that {@code kubernetes.podNameEnv} names, or ""
 * @param podNamespace the variable that {@code kubernetes.podNamespaceEnv} names, or ""
 * @param apiHost {@code KUBERNETES_SERVICE_HOST}, or ""
 * @param apiPort {@code KUBERNETES_SERVICE_PORT}, or ""
 */
record AgentEnvironment(
        CredentialSource token,
        @Nullable Path trustFile,
        ProxyCredentials proxy,
        String pod,
        String podNamespace,
        String apiHost,
        String apiPort) {

    static AgentEnvironment of(AgentConfig config, Map<String, String> variables) {
        Kubernetes kubernetes = config.kubernetes();
        Transport transport = config.connection().transport();
        Proxy proxy = transport == null ? null : transport.proxy();
        String trustFile = text(variables, "SSL_CERT_FILE");
        return new AgentEnvironment(
                CredentialSource.of("RSTREAM_AUTHENTICATION_TOKEN", variables),
                trustFile.isEmpty() ? null : Path.of(trustFile),
                proxy == null
                        ? ProxyCredentials.NONE
                        : new ProxyCredentials(
                                CredentialSource.of(proxy.usernameEnv(), variables),
                                CredentialSource.of(proxy.passwordEnv(), variables)),
                kubernetes == null ? "" : text(variables, kubernetes.podNameEnv()),
                kubernetes == null ? "" : text(variables, kubernetes.podNamespaceEnv()),
                text(variables, "KUBERNETES_SERVICE_HOST"),
                text(variables, "KUBERNETES_SERVICE_PORT"));
    }

    private static String text(Map<String, String> variables, @Nullable String name) {
        return name == null ? "" : variables.getOrDefault(name, "").strip();
    }
}
