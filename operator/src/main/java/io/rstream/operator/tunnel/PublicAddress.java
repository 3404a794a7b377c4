package io.rstream.operator.tunnel;

import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfigFile;
import io.rstream.agent.config.ConfigException;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.TunnelProtocol;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a tunnel asks an engine for by name and only one tunnel can have: a host name or a TCP port. A host name that the
 * operator chooses is none of these, since it follows from the tunnel's UID.
 *
 * @param text the field and its value, such as {@code hostname "shop.example.com"}; equal for equal addresses
 */
record PublicAddress(String text) {

    /** What the spec asks for. */
    static Optional<PublicAddress> wanted(RstreamTunnel tunnel) {
        var spec = tunnel.getSpec();
        if (spec == null || !spec.published()) {
            return Optional.empty();
        }
        return spec.effectiveProtocol() == TunnelProtocol.TCP
                ? port(spec.tcpPort())
                : host(spec.declaredHostname().orElse(null));
    }

    /** What an agent with this configuration file asks for. */
    static Optional<PublicAddress> configured(String configFile) {
        try {
            AgentConfig.Tunnel tunnel = AgentConfigFile.parse(configFile).tunnel();
            return Boolean.FALSE.equals(tunnel.publish())
                    ? Optional.empty()
                    : port(tunnel.tcpPort()).or(() -> host(tunnel.hostname()));
        } catch (ConfigException unreadable) {
            return Optional.empty(); // an agent cannot run on it
        }
    }

    private static Optional<PublicAddress> port(@Nullable Integer number) {
        return Optional.ofNullable(number).map(port -> new PublicAddress("tcpPort " + port));
    }

    /** Host names are compared as DNS does. */
    private static Optional<PublicAddress> host(@Nullable String name) {
        return Optional.ofNullable(name)
                .map(text -> text.strip().toLowerCase(Locale.ROOT))
                .map(text -> text.endsWith(".") ? text.substring(0, text.length() - 1) : text)
                .map(text -> new PublicAddress("hostname \"" + text + "\""));
    }
}
