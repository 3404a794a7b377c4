package io.rstream.protocol;

import java.util.Arrays;
import java.util.Optional;

/** Where TLS of a tunnel ends (rstream protocol, section 7). */
public enum TlsMode {
    /** At the edge. */
    TERMINATED("terminated"),
    /** At the service. */
    PASSTHROUGH("passthrough");

    private final String wireName;

    TlsMode(String wireName) {
        this.wireName = wireName;
    }

    /** The text on the wire. */
    public String wireName() {
        return wireName;
    }

    /** The constant with this wire name, compared exactly; empty for any other text. */
    public static Optional<TlsMode> of(String wireName) {
        return Arrays.stream(values())
                .filter(value -> value.wireName.equals(wireName))
                .findFirst();
    }
}
