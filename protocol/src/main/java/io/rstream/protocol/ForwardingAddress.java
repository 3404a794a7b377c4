package io.rstream.protocol;

import org.jspecify.annotations.Nullable;

/** The text that tells people where a tunnel is reachable (rstream protocol, section 16.3; operator reference, A.4). */
public final class ForwardingAddress {
    private static final int HTTPS_PORT = 443;

    private ForwardingAddress() {}

    /**
     * The address of a tunnel as the engine described it: {@code https://host} for HTTP, {@code host:port (tls)},
     * {@code host:port} for TCP, {@code rstrm://name (unpublished)} for a private one.
     *
     * @throws IllegalArgumentException when there is neither a public address nor a name nor an id
     */
    public static String of(TunnelProperties tunnel) {
        String authority = authority(tunnel);
        if (authority == null) {
            return unpublished(tunnel);
        }
        return switch (protocol(tunnel)) {
            case HTTP -> "https://" + authority;
            case TLS -> authority + " (tls)";
            case DTLS -> authority + " (dtls)";
            case QUIC -> authority + " (quic)";
            case TCP, WEBTTY -> authority;
            case null -> authority;
        };
    }

    private static @Nullable TunnelProtocol protocol(TunnelProperties tunnel) {
        return tunnel.protocol() == null
                ? null
                : TunnelProtocol.of(tunnel.protocol()).orElse(null);
    }

    private static @Nullable String authority(TunnelProperties tunnel) {
        String hostname = tunnel.hostname() == null ? "" : tunnel.hostname().strip();
        if (hostname.isEmpty()) {
            return tunnel.host() == null || tunnel.host().isBlank() ? null : tunnel.host();
        }
        int port = tunnel.port() == null || tunnel.port() == 0 ? HTTPS_PORT : tunnel.port();
        boolean portAlways = switch (protocol(tunnel)) {
            case TLS, TCP -> true;
            case HTTP, DTLS, QUIC, WEBTTY -> false;
            case null -> false;
        };
        return portAlways || port != HTTPS_PORT ? hostname + ":" + port : hostname;
    }

    private static String unpublished(TunnelProperties tunnel) {
        if (tunnel.name() != null && !tunnel.name().isEmpty()) {
            return "rstrm://" + tunnel.name() + " (unpublished)";
        }
        if (tunnel.id() != null && !tunnel.id().isEmpty()) {
            return "rstrm://" + tunnel.id() + " (unpublished)";
        }
        throw new IllegalArgumentException(
                "the tunnel has neither a public address nor a name nor an id; the engine must return one of them");
    }
}
