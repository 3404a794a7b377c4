package io.rstream.engine.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The query parameter {@code params} of a list: {@code {"limit": n, "filters": {...}}} (protocol, section 18). A filter
 * matches when every key of it equals the object's; under {@code labels}, null means that the label exists.
 *
 * @param limit how many objects to return at most
 * @param filters what they must look like
 */
record ListQuery(int limit, ObjectNode filters) {
    static final ListQuery ALL = new ListQuery(Integer.MAX_VALUE, JsonNodeFactory.instance.objectNode());
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The query cannot be understood; the message is for the caller. */
    static final class QueryException extends Exception {
        private static final long serialVersionUID = 1L;

        QueryException(String message) {
            super(message);
        }
    }

    /**
     * Reads the parameter.
     *
     * @param keys the filter keys that the kind of object has
     */
    static ListQuery parse(String params, Set<String> keys) throws QueryException {
        JsonNode root;
        try {
            root = JSON.readTree(params);
        } catch (JsonProcessingException malformed) {
            throw new QueryException("params is not JSON.");
        }
        if (root == null || !root.isObject()) {
            throw new QueryException("params must be a JSON object with limit and filters.");
        }
        for (var property : root.properties()) {
            if (!Set.of("limit", "filters").contains(property.getKey())) {
                throw new QueryException("params has an unknown key; known are limit and filters.");
            }
        }
        return new ListQuery(limit(root.path("limit")), filters(root.path("filters"), keys));
    }

    ArrayNode select(List<ObjectNode> objects) {
        ArrayNode selected = JsonNodeFactory.instance.arrayNode();
        for (ObjectNode object : objects) {
            if (selected.size() < limit && matches(object)) {
                selected.add(object);
            }
        }
        return selected;
    }

    private boolean matches(ObjectNode object) {
        for (var filter : filters.properties()) {
            JsonNode value = object.path(filter.getKey());
            boolean matches = filter.getKey().equals("labels")
                    ? hasLabels(value, filter.getValue())
                    : value.equals(filter.getValue());
            if (!matches) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasLabels(JsonNode labels, JsonNode wanted) {
        for (var label : wanted.properties()) {
            JsonNode value = labels.path(label.getKey());
            if (value.isMissingNode() || (!label.getValue().isNull() && !value.equals(label.getValue()))) {
                return false;
            }
        }
        return true;
    }

    private static int limit(JsonNode limit) throws QueryException {
        if (limit.isMissingNode() || limit.isNull()) {
            return Integer.MAX_VALUE;
        }
        if (!limit.isInt() || limit.intValue() < 0) {
            throw new QueryException("limit must be a whole number of 0 or more.");
        }
        return limit.intValue();
    }

    private static ObjectNode filters(JsonNode filters, Set<String> keys) throws QueryException {
        if (filters.isMissingNode() || filters.isNull()) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (!(filters instanceof ObjectNode object)) {
            throw new QueryException("filters must be a JSON object.");
        }
        for (var filter : object.properties()) {
            if (!keys.contains(filter.getKey())) {
                throw new QueryException(
                        "filters has an unknown key; known are " + String.join(", ", new TreeSet<>(keys)) + ".");
            }
            boolean labels = filter.getKey().equals("labels");
            if (labels != filter.getValue().isObject()) {
                throw new QueryException("A filter is a plain value, and labels an object of plain values.");
            }
        }
        return object;
    }
}
