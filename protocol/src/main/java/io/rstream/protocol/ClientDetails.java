package io.rstream.protocol;

import org.jspecify.annotations.Nullable;

/**
 * What a client says about itself (rstream protocol, section 6.2). Every value is untrusted text for display, and any may
 * be null; the token is a credential and stays out of {@link #toString()}.
 *
 * @param agent product name
 * @param channel release channel
 * @param version product version
 * @param operatingSystem such as {@code linux}
 * @param architecture such as {@code amd64}
 * @param token the credential: a token, or the stream's secret in a proxy request
 * @param protocolVersion see {@link ProtocolVersion}
 */
public record ClientDetails(
        @Nullable String agent,
        @Nullable String channel,
        @Nullable String version,
        @Nullable String operatingSystem,
        @Nullable String architecture,
        @Nullable String token,
        @Nullable String protocolVersion) {

    /** Details in which nothing is said. */
    public static final ClientDetails EMPTY = new ClientDetails(null, null, null, null, null, null, null);

    /** The same details with another credential; null takes it out. */
    public ClientDetails withToken(@Nullable String newToken) {
        return new ClientDetails(agent, channel, version, operatingSystem, architecture, newToken, protocolVersion);
    }

    @Override
    public String toString() {
        return "ClientDetails[agent=%s, channel=%s, version=%s, operatingSystem=%s, architecture=%s, token=%s, protocolVersion=%s]"
                .formatted(
                        agent,
                        channel,
                        version,
                        operatingSystem,
                        architecture,
                        token == null ? null : "***",
                        protocolVersion);
    }
}
