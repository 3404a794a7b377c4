package io.rstream.api.v1alpha1;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with an object.
 *
 * @param path where, for example {@code spec.tcpPort}
 * @param message what, as a phrase that stands by itself
 * @param value what stands there, as a person would write it; null when the message says it, or when nothing does
 */
public record Violation(
        String path, String message, @Nullable String value) {

    private static final int LONGEST_VALUE = 64;

    Violation(String path, String message) {
        this(path, message, null);
    }

    /** A violation by a text, which is shown in quotes and not beyond 64 characters. */
    static Violation quoting(String path, String message, String value) {
        var shown = value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "…";
        return new Violation(path, message, "\"" + shown + "\"");
    }

    /** The message with its place: {@code tcpPort requires protocol tcp (spec.tcpPort: 7)}. */
    public String text() {
        if (message.startsWith(path + " ")) {
            return message;
        }
        return value == null ? "%s (%s)".formatted(message, path) : "%s (%s: %s)".formatted(message, path, value);
    }
}
