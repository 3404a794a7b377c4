package io.rstream.api.v1alpha1;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a tunnel's fields must agree on. Pure: the object is all it looks at. The first six messages are also those of
 * the rules in the resource definition; the others are known here only.
 */
public final class TunnelRules {

    static final String SERVICE_PORT = "target.service.port must be a name or a number between 1 and 65535";
    static final String PORT_REQUIRES_TCP = "tcpPort requires protocol tcp";
    static final String TCP_REQUIRES_PUBLISHED = "protocol tcp requires a published tunnel";
    static final String TCP_REQUIRES_BYTESTREAM = "protocol tcp requires tunnel type bytestream";
    static final String TCP_WITHOUT_HOSTNAME = "protocol tcp does not support hostname";
    static final String TCP_WITHOUT_HTTP_OR_TLS = "protocol tcp does not support HTTP or TLS settings";

    private static final String TCP_WITHOUT_DELIVERY = "protocol \"tcp\" does not support datagram guaranteed delivery";
    private static final String TCP_WITHOUT_UPSTREAM_TLS = "protocol \"tcp\" does not support upstreamTLS";
    private static final String DELIVERY_REQUIRES_DATAGRAM =
            "datagram guaranteed delivery requires tunnel type \"datagram\"";
    private static final String HTTP_REQUIRES_HTTP = "http settings require protocol \"http\"";
    private static final String ONE_AGENT = "agent.replicas must be 1, since a tunnel has exactly one agent";
    private static final String PORT_RANGE = "tcpPort must be between 1 and 65535";

    /** The agent's objects carry the tunnel's name as a label. */
    private static final int LONGEST_NAME = 63;

    private static final int LONGEST_TUNNEL_NAME = 253;

    private TunnelRules() {}

    /** Everything that is wrong with the tunnel, in the order of its fields' documentation; empty when it is fine. */
    public static List<Violation> violations(RstreamTunnel tunnel) {
        var found = new ArrayList<Violation>();
        var spec = tunnel.getSpec();
        if (spec == null) {
            return List.of(tunnel.unreadableSpec().orElse(new Violation("spec.target", "target is required")));
        }
        checkNames(tunnel.getMetadata().getName(), spec, found);
        checkTarget(spec.target(), found);
        checkPort(spec, found);
        if (spec.effectiveProtocol() == TunnelProtocol.TCP) {
            checkTcp(spec, found);
        } else {
            checkOthers(spec, found);
        }
        checkCallers(spec, found);
        checkAgent(spec.agent(), found);
        AgentRules.check(spec.agent(), found);
        return List.copyOf(found);
    }

    /** An object that is being created with generateName has no name yet. */
    private static void checkNames(@Nullable String name, RstreamTunnelSpec spec, List<Violation> found) {
        if (name != null && name.length() > LONGEST_NAME) {
            found.add(new Violation(
                    "metadata.name",
                    "metadata.name has %d characters; the agent carries it as a label, so use at most %d"
                            .formatted(name.length(), LONGEST_NAME)));
        }
        var declared = spec.declaredTunnelName().orElse("");
        if (declared.length() > LONGEST_TUNNEL_NAME) {
            found.add(new Violation(
                    "spec.tunnelName",
                    "tunnelName has %d characters; use at most %d".formatted(declared.length(), LONGEST_TUNNEL_NAME)));
        }
        if (declared.codePoints().anyMatch(Character::isISOControl)) {
            found.add(new Violation(
                    "spec.tunnelName", "tunnelName holds a control character; use letters, digits, and signs"));
        }
    }

    private static void checkTarget(@Nullable Target target, List<Violation> found) {
        var service = target == null ? null : target.service();
        if (service == null) {
            found.add(new Violation("spec.target", "target is required"));
            return;
        }
        if (service.name() == null || service.name().isBlank()) {
            found.add(new Violation("spec.target.service.name", "target.service.name is required"));
        }
        if (service.port() == null) {
            found.add(new Violation("spec.target.service.port", "target.service.port is required"));
        } else if (service.port().getIntVal() != null && !isPort(service.port().getIntVal())) {
            found.add(new Violation(
                    "spec.target.service.port",
                    SERVICE_PORT,
                    service.port().getIntVal().toString()));
        }
    }

    private static void checkPort(RstreamTunnelSpec spec, List<Violation> found) {
        var port = spec.tcpPort();
        if (port == null) {
            return;
        }
        if (spec.effectiveProtocol() != TunnelProtocol.TCP) {
            found.add(new Violation("spec.tcpPort", PORT_REQUIRES_TCP, port.toString()));
        }
        if (!isPort(port)) {
            found.add(new Violation("spec.tcpPort", PORT_RANGE, port.toString()));
        }
    }

    private static void checkTcp(RstreamTunnelSpec spec, List<Violation> found) {
        if (!spec.published()) {
            found.add(new Violation("spec.publish", TCP_REQUIRES_PUBLISHED, "false"));
        }
        if (spec.effectiveType() != TunnelType.BYTESTREAM) {
            found.add(new Violation(
                    "spec.type", TCP_REQUIRES_BYTESTREAM, spec.effectiveType().value()));
        }
        if (spec.hostname() != null) {
            found.add(Violation.quoting("spec.hostname", TCP_WITHOUT_HOSTNAME, spec.hostname()));
        }
        if (spec.http() != null || spec.tls() != null) {
            found.add(new Violation(spec.http() != null ? "spec.http" : "spec.tls", TCP_WITHOUT_HTTP_OR_TLS));
        }
        // Even a false makes the engine refuse the tunnel, so that the agent would try for ever.
        if (spec.datagramGuaranteedDelivery() != null) {
            found.add(new Violation(
                    "spec.datagramGuaranteedDelivery",
                    TCP_WITHOUT_DELIVERY,
                    spec.datagramGuaranteedDelivery().toString()));
        }
        if (spec.upstreamTLS() != null) {
            found.add(new Violation(
                    "spec.upstreamTLS",
                    TCP_WITHOUT_UPSTREAM_TLS,
                    spec.upstreamTLS().toString()));
        }
    }

    private static void checkOthers(RstreamTunnelSpec spec, List<Violation> found) {
        if (Boolean.TRUE.equals(spec.datagramGuaranteedDelivery()) && spec.effectiveType() != TunnelType.DATAGRAM) {
            found.add(new Violation("spec.datagramGuaranteedDelivery", DELIVERY_REQUIRES_DATAGRAM, "true"));
        }
        if (spec.http() != null && spec.effectiveProtocol() != TunnelProtocol.HTTP) {
            found.add(new Violation("spec.http", HTTP_REQUIRES_HTTP));
        }
    }

    private static void checkCallers(RstreamTunnelSpec spec, List<Violation> found) {
        for (var index = 0; index < spec.trustedIPs().size(); index++) {
            var range = spec.trustedIPs().get(index);
            if (!isAddressOrRange(range)) {
                found.add(new Violation(
                        "spec.trustedIPs[%d]".formatted(index),
                        "trustedIPs entry \"%s\" is not an IP address or CIDR range, such as 192.0.2.0/24"
                                .formatted(range)));
            }
        }
        for (var index = 0; index < spec.geoip().size(); index++) {
            var country = spec.geoip().get(index);
            if (!country.strip().matches("[A-Za-z]{2}")) {
                found.add(new Violation(
                        "spec.geoip[%d]".formatted(index),
                        "geoip entry \"%s\" is not a two-letter country code, such as DE".formatted(country)));
            }
        }
    }

    private static void checkAgent(@Nullable AgentSettings agent, List<Violation> found) {
        var replicas = agent == null ? null : agent.replicas();
        if (replicas != null && replicas != 1) {
            found.add(new Violation("spec.agent.replicas", ONE_AGENT, replicas.toString()));
        }
    }

    private static boolean isPort(int number) {
        return number >= 1 && number <= 65535;
    }

    private static boolean isAddressOrRange(String text) {
        var parts = text.strip().split("/", -1);
        try {
            var bits = InetAddress.ofLiteral(parts[0]).getAddress().length * 8;
            return parts.length == 1 || (parts.length == 2 && isPrefix(parts[1], bits));
        } catch (IllegalArgumentException notAnAddress) {
            return false;
        }
    }

    private static boolean isPrefix(String text, int bits) {
        return text.matches("[0-9]{1,3}") && Integer.parseInt(text) <= bits;
    }
}
