package io.rstream.agent;

import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfig.Kubernetes;
import io.rstream.agent.config.AgentConfig.Proxy;
import io.rstream.agent.config.AgentConfig.Transport;
import io.rstream.agent.connect.ProxyLogin;
import io.rstream.process.Secret;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the agent takes from environment variables (operator reference, section 4.1).
 *
 * @param token {@code RSTREAM_AUTHENTICATION_TOKEN}, trimmed; null when empty
 * @param trustFile {@code SSL_CERT_FILE}: PEM bundle in place of the system's trust anchors; null when empty
 * @param proxyLogin the two variables that the proxy settings name
 * @param pod the variable that {@code kubernetes.podNameEnv} names, or ""
 * @param podNamespace the variable that {@code kubernetes.podNamespaceEnv} names, or ""
 * @param apiHost {@code KUBERNETES_SERVICE_HOST}, or ""
 * @param apiPort {@code KUBERNETES_SERVICE_PORT}, or ""
 */
record AgentEnvironment(
        @Nullable Secret token,
        @Nullable Path trustFile,
        ProxyLogin proxyLogin,
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
                secret(variables, "RSTREAM_AUTHENTICATION_TOKEN"),
                trustFile.isEmpty() ? null : Path.of(trustFile),
                proxy == null
                        ? ProxyLogin.NONE
                        : new ProxyLogin(
                                secret(variables, proxy.usernameEnv()), secret(variables, proxy.passwordEnv())),
                kubernetes == null ? "" : text(variables, kubernetes.podNameEnv()),
                kubernetes == null ? "" : text(variables, kubernetes.podNamespaceEnv()),
                text(variables, "KUBERNETES_SERVICE_HOST"),
                text(variables, "KUBERNETES_SERVICE_PORT"));
    }

    private static @Nullable Secret secret(Map<String, String> variables, @Nullable String name) {
        String value = text(variables, name);
        return value.isEmpty() ? null : Secret.of(value);
    }

    private static String text(Map<String, String> variables, @Nullable String name) {
        return name == null ? "" : variables.getOrDefault(name, "").strip();
    }
}
