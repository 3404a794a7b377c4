package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads an object of one kind so that a value that does not fit costs its part of the object (spec or status) and no more.
 * A failure would end the watch of all objects of the kind. The part is then absent, and the object says why.
 */
abstract class PartwiseReader<R extends CustomResource<S, T>, S, T> extends JsonDeserializer<R> {

    private static final int LONGEST_VALUE = 64;

    private final Class<S> spec;
    private final Class<T> status;
    private final Function<UnreadableParts, R> kind;

    PartwiseReader(Class<S> spec, Class<T> status, Function<UnreadableParts, R> kind) {
        this.spec = spec;
        this.status = status;
        this.kind = kind;
    }

    @Override
    public R deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        var tree = context.readTree(parser);
        var unreadable = new UnreadableParts();
        var object = kind.apply(unreadable);
        if (tree.hasNonNull("metadata")) {
            object.setMetadata(context.readTreeAsValue(tree.get("metadata"), ObjectMeta.class));
        }
        var explained = object.getKind().toLowerCase(Locale.ROOT);
        object.setSpec(read(tree.get("spec"), "spec", spec, explained, unreadable, context));
        object.setStatus(read(tree.get("status"), "status", status, explained, unreadable, context));
        return object;
    }

    private static <P> @Nullable P read(
            @Nullable JsonNode content,
            String part,
            Class<P> type,
            String kind,
            UnreadableParts unreadable,
            DeserializationContext context)
            throws IOException {
        if (content == null || content.isNull()) {
            return null;
        }
        try {
            return context.readTreeAsValue(content, type);
        } catch (JacksonException mismatch) {
            unreadable.add(part, content, violation(content, part, kind, mismatch));
            return null;
        }
    }

    private static Violation violation(JsonNode content, String part, String kind, JacksonException mismatch) {
        var path = new StringBuilder(part);
        var explained = new StringBuilder(kind + "." + part);
        JsonNode value = content;
        for (var step : steps(mismatch)) {
            if (step.getFieldName() == null) {
                path.append('[').append(step.getIndex()).append(']');
                value = value.path(step.getIndex());
            } else {
                path.append('.').append(step.getFieldName());
                explained.append('.').append(step.getFieldName());
                value = value.path(step.getFieldName());
            }
        }
        var message = "%s%s is not a value that the field takes; kubectl explain %s says what it takes"
                .formatted(path, shown(value), explained);
        return new Violation(path.toString(), message);
    }

    private static List<JsonMappingException.Reference> steps(JacksonException mismatch) {
        return mismatch instanceof JsonMappingException mapping ? mapping.getPath() : List.of();
    }

    private static String shown(JsonNode value) {
        if (!value.isValueNode()) {
            return "";
        }
        var text = value.toString();
        return " " + (text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…");
    }
}
