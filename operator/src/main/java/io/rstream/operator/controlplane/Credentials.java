package io.rstream.operator.controlplane;

import io.rstream.api.v1alpha1.ConnectionRules;
import io.rstream.process.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The secret part of a request; its text form hides the values.
 *
 * @param token bearer token, stripped
 * @param headers further headers
 */
public record Credentials(Secret token, List<Header> headers) {

    private static final String REDACTED = "***";
    private static final int SHORTEST_REDACTED = 4;

    /**
     * A header.
     *
     * @param name its name, stripped, of a form that {@link ConnectionRules} accepts
     * @param value its value, stripped
     */
    public record Header(String name, Secret value) {}

    public Credentials {
        headers = List.copyOf(headers);
    }

    /** Why they cannot be sent; empty when they can. Never shows a value. */
    public Optional<String> objection() {
        if (token.reveal().isEmpty()) {
            return Optional.of("tokenSecretRef is required when projectEndpoint or projectID is used");
        }
        if (!token.isPrintableAscii()) {
            return Optional.of(
                    "the token of tokenSecretRef holds white space or other characters that a header cannot carry;"
                            + " store the token as one line of plain ASCII");
        }
        return headers.stream().flatMap(header -> objection(header).stream()).findFirst();
    }

    private static Optional<String> objection(Header header) {
        var name = ConnectionRules.canonicalHeaderName(header.name());
        if (name.equals("Expect")) { // The HTTP client sets it itself.
            return Optional.of("reserved control plane header \"Expect\"");
        }
        return header.value().reveal().chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7f))
                ? Optional.empty()
                : Optional.of("invalid value for control plane header \"%s\"".formatted(name));
    }

    /** Tells whether two are the same without keeping them: SHA-256 over names and values, in hexadecimal digits. */
    String digest() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            Stream.concat(
                            Stream.of(token.reveal()),
                            headers.stream()
                                    .flatMap(header -> Stream.of(
                                            header.name(), header.value().reveal())))
                    .forEach(text -> {
                        digest.update(text.getBytes(StandardCharsets.UTF_8));
                        digest.update((byte) 0);
                    });
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }

    /** Takes the values out of a text that a peer sent, which may repeat what it got. */
    String redact(String text) {
        return Stream.concat(Stream.of(token), headers.stream().map(Header::value))
                .map(Secret::reveal)
                .filter(value -> value.length() >= SHORTEST_REDACTED)
                .reduce(text, (shown, value) -> shown.replace(value, REDACTED));
    }
}
