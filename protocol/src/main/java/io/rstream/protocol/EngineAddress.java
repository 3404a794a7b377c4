package io.rstream.protocol;

import io.netty.util.NetUtil;
import java.net.IDN;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where an engine listens (rstream protocol, section 4.1).
 *
 * @param host lower-case host name in ASCII, IPv4 address, or IPv6 address without brackets
 * @param port 1 to 65535
 */
public record EngineAddress(String host, int port) {
    /** The port of an address that names none. */
    public static final int DEFAULT_PORT = 443;

    private static final Pattern LABEL = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
    private static final int MAXIMUM_HOST = 253;

    /** Refuses a host or a port that cannot be dialed. */
    public EngineAddress {
        if (!NetUtil.isValidIpV6Address(host) && !isHostName(host)) {
            throw new IllegalArgumentException(
                    "engine host \"%s\" is not a host name or an IP address; write host:port or [ipv6]:port"
                            .formatted(host));
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("engine port %d is out of range; use 1 to 65535".formatted(port));
        }
    }

    /**
     * The two parts of the host that hosted tunnel names are made of (section 16.1).
     *
     * @param projectEndpoint the first label
     * @param clusterDomain the rest
     */
    public record HostedName(String projectEndpoint, String clusterDomain) {}

    /**
     * Reads {@code host}, {@code host:port}, {@code [ipv6]} or {@code [ipv6]:port}; international names become ASCII,
     * and one dot at the end of a name, which DNS takes for the root, is dropped (operator reference, A.3).
     *
     * @throws IllegalArgumentException for anything else, such as a scheme, a path or white space
     */
    public static EngineAddress parse(String text) {
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            String host = end < 0 ? text : text.substring(1, end);
            if (!NetUtil.isValidIpV6Address(host)) {
                throw malformed(text);
            }
            return new EngineAddress(host.toLowerCase(Locale.ROOT), port(text, text.substring(end + 1)));
        }
        int colon = text.indexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        return new EngineAddress(toAscii(text, host), port(text, colon < 0 ? "" : text.substring(colon)));
    }

    /** Project endpoint and cluster domain, when the host is a name or IPv4 address of at least two labels. */
    public Optional<HostedName> hosted() {
        int dot = host.indexOf('.');
        return dot < 0 || host.contains(":")
                ? Optional.empty()
                : Optional.of(new HostedName(host.substring(0, dot), host.substring(dot + 1)));
    }

    /** {@code host:port}, with brackets around an IPv6 address. */
    @Override
    public String toString() {
        return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
    }

    private static boolean isHostName(String host) {
        if (host.length() > MAXIMUM_HOST) {
            return false;
        }
        for (String label : host.split("\\.", -1)) {
            if (!LABEL.matcher(label).matches()) {
                return false;
            }
        }
        return true;
    }

    private static String toAscii(String text, String host) {
        try {
            String relative = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
            return IDN.toASCII(relative).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            throw malformed(text);
        }
    }

    private static int port(String text, String suffix) {
        if (suffix.isEmpty()) {
            return DEFAULT_PORT;
        }
        if (!suffix.matches(":[0-9]{1,5}")) {
            throw malformed(text);
        }
        return Integer.parseInt(suffix.substring(1));
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException(
                "engine address \"%s\" is not valid; write host:port, host or [ipv6]:port".formatted(text));
    }
}
