package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

/** Compares a schema of ours with the API server's own of a core type: fields, kinds, mandatory fields, merge types. */
final class SchemaComparison {

    private static final List<String> COMPARED =
            List.of("type", "format", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type");

    private final JsonNode types;

    /** @param types the components of the API server's OpenAPI document, to which its schemas refer */
    SchemaComparison(JsonNode types) {
        this.types = types;
    }

    /** One line for each difference. */
    List<String> differences(JsonNode ours, JsonNode theirs) {
        var found = new ArrayList<String>();
        compare("", ours, theirs, found);
        return found;
    }

    private void compare(String path, JsonNode ours, JsonNode reference, List<String> found) {
        var theirs = resolve(reference);
        if (theirs.path("oneOf").isArray()) {
            return; // Quantities: the definition says int-or-string, the API server a union of string and number.
        }
        for (var keyword : COMPARED) {
            expect(path + " " + keyword, ours.path(keyword), theirs.path(keyword), found);
        }
        expect(path + " required", names(ours.path("required")), names(theirs.path("required")), found);
        expect(path + " fields", keys(ours.path("properties")), keys(theirs.path("properties")), found);
        for (var field : theirs.path("properties").properties()) {
            compare(path + "." + field.getKey(), ours.path("properties").path(field.getKey()), field.getValue(), found);
        }
        if (theirs.has("items")) {
            compare(path + "[]", ours.path("items"), theirs.get("items"), found);
        }
        if (theirs.has("additionalProperties")) {
            compare(path + "{}", ours.path("additionalProperties"), theirs.get("additionalProperties"), found);
        }
    }

    private JsonNode resolve(JsonNode schema) {
        var reference = schema.has("allOf") ? schema.at("/allOf/0/$ref") : schema.path("$ref");
        return reference.isMissingNode()
                ? schema
                : types.path(reference.asText().replace("#/components/schemas/", ""));
    }

    private static void expect(String what, Object ours, Object theirs, List<String> found) {
        if (!ours.equals(theirs)) {
            found.add("%s: ours %s, theirs %s".formatted(what, ours, theirs));
        }
    }

    private static Set<String> names(JsonNode list) {
        var names = new TreeSet<String>();
        list.forEach(name -> names.add(name.asText()));
        return names;
    }

    private static Set<String> keys(JsonNode object) {
        var keys = new TreeSet<String>();
        StreamSupport.stream(object.properties().spliterator(), false).forEach(entry -> keys.add(entry.getKey()));
        return keys;
    }
}
