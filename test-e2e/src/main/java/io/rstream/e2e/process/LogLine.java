package io.rstream.e2e.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.Optional;

/**
 * One line that a process wrote.
 *
 * @param text the line as it is
 * @param json the line as JSON; a missing node when it is no JSON object
 */
public record LogLine(String text, JsonNode json) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Reads a line. */
    static LogLine of(String text) {
        if (!text.startsWith("{")) {
            return new LogLine(text, MissingNode.getInstance());
        }
        try {
            return new LogLine(text, JSON.readTree(text));
        } catch (JsonProcessingException notJson) {
            return new LogLine(text, MissingNode.getInstance());
        }
    }

    /** The message of a JSON line, else the whole line. */
    public String message() {
        return value("msg").orElse(text);
    }

    /** The level of a JSON line ({@code INFO} and so on), else empty text. */
    public String level() {
        return value("level").orElse("");
    }

    /** A member of a JSON line as text. */
    public Optional<String> value(String key) {
        JsonNode value = json.path(key);
        return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(value.asText());
    }

    @Override
    public String toString() {
        return text;
    }
}
