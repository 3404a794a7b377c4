package io.rstream.engine.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rstream.process.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the file with its place in it. It remembers which keys were asked for, so that {@link #end} can refuse the
 * others.
 */
final class ConfigSection {
    private final String path;
    private final ObjectNode node;
    private final Set<String> known = new LinkedHashSet<>();

    ConfigSection(String path, ObjectNode node) {
        this.path = path;
        this.node = node;
    }

    String place(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    ConfigException problem(String key, String expectation) {
        JsonNode value = value(key);
        return new ConfigException(
                value == null
                        ? place(key) + " is missing; " + expectation
                        : place(key) + " is " + value + "; " + expectation);
    }

    Optional<String> text(String key) throws ConfigException {
        JsonNode value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isTextual() && !value.isNumber()) {
            throw problem(key, "write a text");
        }
        return Optional.of(value.asText());
    }

    String requiredText(String key, String expectation) throws ConfigException {
        return text(key).filter(value -> !value.isBlank()).orElseThrow(() -> problem(key, expectation));
    }

    boolean flag(String key, boolean standard) throws ConfigException {
        JsonNode value = value(key);
        if (value == null) {
            return standard;
        }
        if (!value.isBoolean()) {
            throw problem(key, "write true or false");
        }
        return value.booleanValue();
    }

    int number(String key, int standard, int least, int most) throws ConfigException {
        JsonNode value = value(key);
        if (value == null) {
            return standard;
        }
        if (!value.isIntegralNumber() || value.longValue() < least || value.longValue() > most) {
            throw problem(key, "write a whole number from " + least + " to " + most);
        }
        return value.intValue();
    }

    Optional<Duration> duration(String key) throws ConfigException {
        Optional<String> text = text(key);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            Duration duration = Durations.parse(text.get());
            if (duration.isPositive()) {
                return Optional.of(duration);
            }
        } catch (IllegalArgumentException notADuration) {
            throw problem(key, "write a positive duration such as 500ms, 30s or 1m30s");
        }
        throw problem(key, "write a positive duration such as 500ms, 30s or 1m30s");
    }

    /** A list of texts, or null when the key is absent. */
    @Nullable
    List<String> texts(String key) throws ConfigException {
        JsonNode value = value(key);
        if (value == null) {
            return null;
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode entry : value) {
            if (!entry.isTextual()) {
                throw problem(key, "write a list of texts");
            }
            texts.add(entry.textValue());
        }
        if (!value.isArray()) {
            throw problem(key, "write a list of texts");
        }
        return texts;
    }

    Optional<ConfigSection> section(String key) throws ConfigException {
        JsonNode value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        return Optional.of(section(place(key), value));
    }

    List<ConfigSection> sections(String key) throws ConfigException {
        JsonNode value = value(key);
        List<ConfigSection> sections = new ArrayList<>();
        if (value == null) {
            return sections;
        }
        if (!value.isArray()) {
            throw problem(key, "write a list");
        }
        for (JsonNode entry : value) {
            sections.add(section(place(key) + "[" + sections.size() + "]", entry));
        }
        return sections;
    }

    /** Refuses keys that nobody asked for. */
    void end() throws ConfigException {
        for (var property : node.properties()) {
            if (!known.contains(property.getKey())) {
                throw new ConfigException(
                        place(property.getKey()) + " is not a known key; known here: " + String.join(", ", known));
            }
        }
    }

    private static ConfigSection section(String place, JsonNode value) throws ConfigException {
        if (value instanceof ObjectNode object) {
            return new ConfigSection(place, object);
        }
        throw new ConfigException(place + " is " + value + "; write a mapping of keys to values");
    }

    private @Nullable JsonNode value(String key) {
        known.add(key);
        JsonNode value = node.get(key);
        return value == null || value.isNull() ? null : value;
    }
}
