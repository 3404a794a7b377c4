package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Reads a definition's schema as one line a field, in the form of the files {@code fields-of-*.txt}. */
final class SchemaFields {

    private SchemaFields() {}

    /** {@code path type, constraint, constraint}, in the order of the paths; core/v1 parts end at their first level. */
    static List<String> of(CustomResourceDefinition definition) {
        var lines = new TreeMap<String, String>();
        walk("", root(definition), false, (path, field) -> {
            if (!path.matches("spec\\.agent\\.(affinity|resources|tolerations\\[])\\..*\\..*")) {
                lines.put(path, path + " " + describe(field.schema(), field.required()));
            }
        });
        return List.copyOf(lines.values());
    }

    /** Paths of the fields that have no description. */
    static List<String> withoutDescription(CustomResourceDefinition definition) {
        var paths = new ArrayList<String>();
        walk("", root(definition), false, (path, field) -> {
            if (!path.endsWith("[]") && field.schema().getDescription() == null) {
                paths.add(path);
            }
        });
        return paths;
    }

    private static JSONSchemaProps root(CustomResourceDefinition definition) {
        return definition.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
    }

    private static void walk(String path, JSONSchemaProps schema, boolean required, BiConsumer<String, Field> visitor) {
        if (!path.isEmpty()) {
            visitor.accept(path, new Field(schema, required));
        }
        if (schema.getItems() != null) {
            walk(path + "[]", schema.getItems().getSchema(), false, visitor);
        }
        if (schema.getProperties() != null) {
            schema.getProperties().forEach((name, child) -> {
                var mandatory =
                        schema.getRequired() != null && schema.getRequired().contains(name);
                walk(path.isEmpty() ? name : path + "." + name, child, mandatory, visitor);
            });
        }
    }

    private static String describe(JSONSchemaProps schema, boolean required) {
        var parts = new ArrayList<String>();
        parts.add(type(schema));
        add(parts, "format ", schema.getFormat());
        if (required) {
            parts.add("required");
        }
        add(parts, "default ", schema.getDefault());
        if (schema.getEnum() != null && !schema.getEnum().isEmpty()) {
            parts.add(
                    "one of " + schema.getEnum().stream().map(JsonNode::asText).toList());
        }
        add(parts, "at least ", whole(schema.getMinimum()));
        add(parts, "at most ", whole(schema.getMaximum()));
        add(parts, "shortest ", schema.getMinLength());
        add(parts, "longest ", schema.getMaxLength());
        add(parts, "pattern ", schema.getPattern());
        add(parts, "list ", schema.getXKubernetesListType());
        if (schema.getXKubernetesListMapKeys() != null
                && !schema.getXKubernetesListMapKeys().isEmpty()) {
            parts.add("by " + schema.getXKubernetesListMapKeys());
        }
        add(parts, "map ", schema.getXKubernetesMapType());
        if (schema.getXKubernetesValidations() != null) {
            schema.getXKubernetesValidations().forEach(rule -> parts.add("rule \"" + rule.getMessage() + "\""));
        }
        return String.join(", ", parts);
    }

    private static String type(JSONSchemaProps schema) {
        if (Boolean.TRUE.equals(schema.getXKubernetesIntOrString())) {
            return "int-or-string";
        }
        var values = schema.getAdditionalProperties();
        return values == null ? schema.getType() : "map of " + type(values.getSchema());
    }

    private static void add(List<String> parts, String label, Object value) {
        if (value != null) {
            parts.add(label + value);
        }
    }

    private static Long whole(Double value) {
        return value == null ? null : Long.valueOf(value.longValue());
    }

    private record Field(JSONSchemaProps schema, boolean required) {}
}
