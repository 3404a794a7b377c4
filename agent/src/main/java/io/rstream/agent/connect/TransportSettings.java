package io.rstream.agent.connect;

import io.netty.util.NetUtil;
import io.rstream.agent.config.AgentConfig.Bind;
import io.rstream.agent.config.AgentConfig.Dns;
import io.rstream.agent.config.AgentConfig.Transport;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The checked form of {@code connection.transport} (operator reference, A.6). This agent speaks TLS over TCP: mode
 * {@code auto} means tls, and a setting that would change route or security and that it cannot honour is refused.
 *
 * @param family which of the engine's addresses may be dialed
 * @param bind local address, or null
 * @param proxy HTTP proxy, or null
 * @param multipath whether multipath TCP is wished for; ordinary TCP is used and the user is told
 */
public record TransportSettings(
        IpFamily family,
        @Nullable InetAddress bind,
        @Nullable HttpProxy proxy,
        boolean multipath) {

    /** Settings of a file that has none. */
    public static final TransportSettings DEFAULT = new TransportSettings(IpFamily.ANY, null, null, false);

    /**
     * Checks the settings.
     *
     * @throws AttemptException permanent, starting with {@code resolve tunnel transport: } and naming the key
     */
    public static TransportSettings of(@Nullable Transport transport, ProxyLogin login) throws AttemptException {
        if (transport == null) {
            return DEFAULT;
        }
        checkMode(transport);
        checkDns(transport.dns());
        return new TransportSettings(
                family(transport.ipFamily()),
                bind(transport.bind()),
                ProxySettings.of(transport.proxy(), login),
                Boolean.TRUE.equals(transport.mptcp()));
    }

    private static void checkMode(Transport transport) throws AttemptException {
        String mode = folded(transport.mode());
        switch (mode) {
            case "tls", "auto" -> {}
            case "quic" -> throw refused("transport.mode quic is not supported by this agent yet; use tls or auto");
            case "" -> {
                if (Boolean.TRUE.equals(transport.useQuic())) {
                    throw refused("transport.useQuic true is not supported by this agent yet; use transport.mode tls");
                }
            }
            default -> throw refused("invalid tunnel transport \"" + mode + "\" (valid: auto, tls, quic)");
        }
    }

    private static void checkDns(@Nullable Dns dns) throws AttemptException {
        if (dns == null) {
            return;
        }
        if (!folded(dns.override()).isEmpty()) {
            throw unsupportedDns("override");
        }
        if (Boolean.TRUE.equals(dns.tls())) {
            throw unsupportedDns("tls");
        }
        if (!folded(dns.serverName()).isEmpty()) {
            throw unsupportedDns("serverName");
        }
        if (Boolean.TRUE.equals(dns.dnssec())) {
            throw unsupportedDns("dnssec");
        }
    }

    private static AttemptException unsupportedDns(String key) {
        return refused(
                "transport.dns." + key + " is not supported by this agent yet; remove it to use the pod's resolver");
    }

    private static IpFamily family(@Nullable String text) throws AttemptException {
        return switch (folded(text)) {
            case "", "auto" -> IpFamily.ANY;
            case "ipv4" -> IpFamily.IPV4;
            case "ipv6" -> IpFamily.IPV6;
            default -> throw refused("invalid transport.ipFamily \"" + folded(text) + "\" (valid: auto, ipv4, ipv6)");
        };
    }

    private static @Nullable InetAddress bind(@Nullable Bind bind) throws AttemptException {
        if (bind == null) {
            return null;
        }
        String mode = folded(bind.mode());
        if (mode.equals("interface")) {
            throw refused("transport.bind.mode interface is not supported by this agent yet; use mode address");
        }
        if (!mode.isEmpty() && !mode.equals("address")) {
            throw refused("invalid transport.bind.mode \"" + mode + "\" (valid: address, interface)");
        }
        String address = folded(bind.address());
        if (!NetUtil.isValidIpV4Address(address) && !NetUtil.isValidIpV6Address(address)) {
            throw refused("transport.bind.address \"" + address + "\" is not an IP address; write a local one");
        }
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw refused("transport.bind.address \"" + address + "\" is not an address of this machine");
        }
    }

    static AttemptException refused(String message) {
        return AttemptException.permanent("resolve tunnel transport: " + message);
    }

    static String folded(@Nullable String text) {
        return text == null ? "" : text.strip().toLowerCase(Locale.ROOT);
    }
}
