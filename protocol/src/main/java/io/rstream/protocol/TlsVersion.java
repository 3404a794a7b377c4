package io.rstream.protocol;

import java.util.Arrays;
import java.util.Optional;

/** A TLS version, used as the lowest one allowed (rstream protocol, section 7). */
public enum TlsVersion {
    /** TLS 1.2. */
    TLS_1_2("tls1.2"),
    /** TLS 1.3. */
    TLS_1_3("tls1.3");

    private final String wireName;

    TlsVersion(String wireName) {
        this.wireName = wireName;
    }

    /** The text on the wire. */
    public String wireName() {
        return wireName;
    }

    /** The constant with this wire name, compared exactly; empty for any other text. */
    public static Optional<TlsVersion> of(String wireName) {
        return Arrays.stream(values())
                .filter(value -> value.wireName.equals(wireName))
                .findFirst();
    }
}
