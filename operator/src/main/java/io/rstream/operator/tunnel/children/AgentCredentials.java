package io.rstream.operator.tunnel.children;

import io.rstream.api.v1alpha1.MutualTls;
import io.rstream.api.v1alpha1.RstreamConnectionSpec;
import io.rstream.api.v1alpha1.SecretKeyRef;
import org.jspecify.annotations.Nullable;

/**
 * Where the agent's pod takes its credentials from; never the credentials themselves.
 *
 * @param token token for the engine
 * @param certificateAuthority certificates that the agent trusts for the engine, beside a token
 * @param mtls client certificate for the engine
 * @param proxyUsername user name for the HTTP proxy
 * @param proxyPassword password for the HTTP proxy
 */
public record AgentCredentials(
        @Nullable SecretKeyRef token,
        @Nullable SecretKeyRef certificateAuthority,
        @Nullable MutualTls mtls,
        @Nullable SecretKeyRef proxyUsername,
        @Nullable SecretKeyRef proxyPassword) {

    /** No credential at all. */
    public static final AgentCredentials NONE = new AgentCredentials(null, null, null, null, null);

    /** The credentials that a connection refers to. */
    public static AgentCredentials of(RstreamConnectionSpec connection) {
        var transport = connection.transport();
        var proxy = transport == null ? null : transport.proxy();
        return new AgentCredentials(
                connection.tokenSecretRef(),
                connection.caSecretRef(),
                connection.mtls(),
                proxy == null ? null : proxy.usernameSecretRef(),
                proxy == null ? null : proxy.passwordSecretRef());
    }
}
