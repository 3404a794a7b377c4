package io.rstream.agent.connect;

import io.rstream.process.Secret;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where one credential comes from: from a variable, or from the file that the variable {@code <name>_FILE} names. A file is
 * read anew each time, since its content follows a Secret while the agent runs.
 *
 * @param name the variable, for messages; "" when there is none
 * @param value the variable's value, or null when it is not set
 * @param file the file, or null when none is named
 */
public record CredentialSource(
        String name, @Nullable Secret value, @Nullable Path file) {

    /** What is appended to a variable's name for the variable that names a file. */
    public static final String FILE_SUFFIX = "_FILE";

    /** No credential. */
    public static final CredentialSource NONE = new CredentialSource("", null, null);

    private static final int MAXIMUM_BYTES = 1 << 16;

    /**
     * What the environment says; empty variables count as absent.
     *
     * @param name the variable, or null when the configuration names none
     */
    public static CredentialSource of(@Nullable String name, Map<String, String> variables) {
        if (name == null || name.isBlank()) {
            return NONE;
        }
        String value = variables.getOrDefault(name, "").strip();
        String file = variables.getOrDefault(name + FILE_SUFFIX, "").strip();
        return new CredentialSource(
                name, value.isEmpty() ? null : Secret.of(value), file.isEmpty() ? null : Path.of(file));
    }

    /** A known value; null for none. */
    public static CredentialSource ofValue(String name, @Nullable Secret value) {
        return new CredentialSource(name, value, null);
    }

    /** The file whose content can change, if there is one. */
    public Optional<Path> changing() {
        return Optional.ofNullable(file);
    }

    /**
     * The credential without surrounding white space, or null when there is none; may block.
     *
     * @throws AttemptException when both variables are set, or the file cannot be read, is empty or is larger than 64 KiB
     */
    public @Nullable Secret read() throws AttemptException {
        if (file == null) {
            return value;
        }
        if (value != null) {
            throw AttemptException.permanent(
                    "%s and %s%s are both set; keep one of them".formatted(name, name, FILE_SUFFIX));
        }
        String activity = "read %s%s: ".formatted(name, FILE_SUFFIX);
        try (InputStream content = Files.newInputStream(file)) {
            byte[] bytes = content.readNBytes(MAXIMUM_BYTES + 1);
            if (bytes.length > MAXIMUM_BYTES) {
                throw AttemptException.passing("%s%s is larger than %d bytes".formatted(activity, file, MAXIMUM_BYTES));
            }
            String text = new String(bytes, StandardCharsets.UTF_8).strip();
            if (text.isEmpty()) {
                throw AttemptException.passing(activity + file + " is empty; put a value into the key of its Secret");
            }
            return Secret.of(text);
        } catch (IOException e) {
            throw AttemptException.passing(activity + FailureText.of(e));
        }
    }
}
