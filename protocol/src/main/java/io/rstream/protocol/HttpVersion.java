package io.rstream.protocol;

import java.util.Arrays;
import java.util.Optional;

/** HTTP version towards the service (rstream protocol, section 7). */
public enum HttpVersion {
    /** HTTP/1.1. */
    HTTP_1_1("http/1.1"),
    /** HTTP/2 with prior knowledge. */
    H2C("h2c"),
    /** HTTP/3 over QUIC. */
    H3("h3");

    private final String wireName;

    HttpVersion(String wireName) {
        this.wireName = wireName;
    }

    /** The text on the wire. */
    public String wireName() {
        return wireName;
    }

    /** The constant with this wire name, compared exactly; empty for any other text. */
    public static Optional<HttpVersion> of(String wireName) {
        return Arrays.stream(values())
                .filter(value -> value.wireName.equals(wireName))
                .findFirst();
    }
}
