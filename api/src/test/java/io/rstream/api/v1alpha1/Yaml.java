package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Reads and writes our types the way the Kubernetes client does, and plain documents for comparison. */
final class Yaml {

    private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();
    private static final YAMLMapper PLAIN = new YAMLMapper();

    private Yaml() {}

    static RstreamTunnelSpec tunnel(String yaml) {
        return read(yaml, RstreamTunnelSpec.class);
    }

    static RstreamConnectionSpec connection(String yaml) {
        return read(yaml, RstreamConnectionSpec.class);
    }

    static <T> T read(String yaml, Class<T> type) {
        // The client takes a text that starts with a brace for JSON, so YAML in flow style goes through a tree.
        return SERIALIZATION.unmarshal(tree(yaml).toString(), type);
    }

    /** The document as the client would send it. */
    static JsonNode written(Object document) {
        return tree(SERIALIZATION.asJson(document));
    }

    static JsonNode tree(String text) {
        try {
            return PLAIN.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException("not a YAML document", e);
        }
    }

    static Stream<JsonNode> documents(Path file) {
        try (var documents = PLAIN.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            return documents.readAll().stream();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
