package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonValue;

/** What callers speak to the public end of a tunnel. */
public enum TunnelProtocol {
    HTTP("http"),
    TLS("tls"),
    DTLS("dtls"),
    QUIC("quic"),
    TCP("tcp");

    private final String value;

    TunnelProtocol(String value) {
        this.value = value;
    }

    /** The text in documents. */
    @JsonValue
    public String value() {
        return value;
    }
}
