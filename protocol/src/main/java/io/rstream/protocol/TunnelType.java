package io.rstream.protocol;

import java.util.Arrays;
import java.util.Optional;

/** How a tunnel carries it (rstream protocol, section 7). */
public enum TunnelType {
    /** Byte streams. */
    BYTESTREAM("bytestream"),
    /** Packets. */
    DATAGRAM("datagram");

    private final String wireName;

    TunnelType(String wireName) {
        this.wireName = wireName;
    }

    /** The text on the wire. */
    public String wireName() {
        return wireName;
    }

    /** The constant with this wire name, compared exactly; empty for any other text. */
    public static Optional<TunnelType> of(String wireName) {
        return Arrays.stream(values())
                .filter(value -> value.wireName.equals(wireName))
                .findFirst();
    }
}
