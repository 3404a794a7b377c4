package io.rstream.operator.tunnel.children;

import io.rstream.api.v1alpha1.MutualTls;
import io.rstream.api.v1alpha1.RstreamConnectionSpec;
import io.rstream.api.v1alpha1.SecretKeyRef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the agent's pod takes its credentials from; never the credentials themselves.
 *
 * @param token token for the engine
 * @param mtls client certificate for the engine
 * @param proxyUsername user name for the HTTP proxy
 * @param proxyPassword password for the HTTP proxy
 * @param secretVersions {@code <secret>:<resourceVersion>} of the Secrets above, sorted; inputs of the rollout hash
 */
public record AgentCredentials(
        @Nullable SecretKeyRef token,
        @Nullable MutualTls mtls,
        @Nullable SecretKeyRef proxyUsername,
        @Nullable SecretKeyRef proxyPassword,
        List<String> secretVersions) {

    public AgentCredentials {
        secretVersions = List.copyOf(secretVersions);
    }

    /** The credentials that a connection refers to. */
    public static AgentCredentials of(RstreamConnectionSpec connection, List<String> secretVersions) {
        var transport = connection.transport();
        var proxy = transport == null ? null : transport.proxy();
        return new AgentCredentials(
                connection.tokenSecretRef(),
                connection.mtls(),
                proxy == null ? null : proxy.usernameSecretRef(),
                proxy == null ? null : proxy.passwordSecretRef(),
                secretVersions);
    }
}
