package io.rstream.process;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * A token, password or key that must not reach a log, an event or an exception message: its text form hides the value.
 * Immutable.
 */
public final class Secret {

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    /**
     * Wraps a value.
     *
     * @param value the secret text, kept as it is; may be empty
     */
    public static Secret of(String value) {
        return new Secret(value);
    }

    /** The value itself. Callers hand it to the peer that needs it and to nothing else. */
    public String reveal() {
        return value;
    }

    /**
     * Whether a header can carry the value as it is: printable ASCII only, no white space. Anything else is refused before
     * it reaches a library that would show it in an exception.
     */
    public boolean isPrintableAscii() {
        return value.chars().allMatch(character -> character > ' ' && character < 0x7f);
    }

    /** Compares in a time that does not depend on where the values differ. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && MessageDigest.isEqual(bytes(value), bytes(secret.value));
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
