package io.rstream.protocol;

import java.util.Arrays;
import java.util.Optional;

/** What a tunnel carries (rstream protocol, section 7). */
public enum TunnelProtocol {
    /** HTTP requests. */
    HTTP("http"),
    /** TLS connections, ended at the edge or passed through. */
    TLS("tls"),
    /** TCP connections on a public port. */
    TCP("tcp"),
    /** DTLS packets. */
    DTLS("dtls"),
    /** QUIC connections. */
    QUIC("quic"),
    /** Terminal sessions, a managed service of the hosted product. */
    WEBTTY("webtty");

    private final String wireName;

    TunnelProtocol(String wireName) {
        this.wireName = wireName;
    }

    /** The text on the wire. */
    public String wireName() {
        return wireName;
    }

    /** The constant with this wire name, compared exactly; empty for any other text. */
    public static Optional<TunnelProtocol> of(String wireName) {
        return Arrays.stream(values())
                .filter(value -> value.wireName.equals(wireName))
                .findFirst();
    }
}
