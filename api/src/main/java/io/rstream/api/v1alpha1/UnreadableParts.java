package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Parts of an object that do not fit our types, such as those that an older resource definition let through. They are
 * kept as they came, so that an object's copy by way of JSON is like the object. Filled while the object is read, and
 * constant afterwards.
 */
final class UnreadableParts {

    private final Map<String, JsonNode> contents = new LinkedHashMap<>();
    private final Map<String, Violation> violations = new LinkedHashMap<>();

    void add(String part, JsonNode content, Violation violation) {
        contents.put(part, content);
        violations.put(part, violation);
    }

    /** The parts by name, for writing. */
    Map<String, JsonNode> contents() {
        return contents;
    }

    /** Why a part could not be read; empty when it was read or is absent. */
    Optional<Violation> violation(String part) {
        return Optional.ofNullable(violations.get(part));
    }
}
