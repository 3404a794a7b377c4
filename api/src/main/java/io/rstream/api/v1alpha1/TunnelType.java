package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonValue;

/** What a tunnel carries: streams of bytes or packets. */
public enum TunnelType {
    BYTESTREAM("bytestream"),
    DATAGRAM("datagram");

    private final String value;

    TunnelType(String value) {
        this.value = value;
    }

    /** The text in documents. */
    @JsonValue
    public String value() {
        return value;
    }
}
