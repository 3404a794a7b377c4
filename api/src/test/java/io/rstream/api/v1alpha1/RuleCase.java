package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One entry of {@code rule-cases.yaml}; the file explains the components. */
record RuleCase(
        @JsonProperty("case") String sentence,
        int parity,
        String kind,
        Map<String, Object> spec,
        List<String> both,
        List<String> java,
        List<String> schema) {

    private static final Path FILE = Path.of("src/test/resources/rule-cases.yaml");

    RuleCase {
        both = both == null ? List.of() : List.copyOf(both);
        java = java == null ? List.of() : List.copyOf(java);
        schema = schema == null ? List.of() : List.copyOf(schema);
    }

    static List<RuleCase> all() {
        try {
            return new YAMLMapper().readValue(FILE.toFile(), new TypeReference<>() {});
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + FILE, e);
        }
    }

    /** Whether the Java rules know the case: some values are for the schema alone. */
    boolean concernsJavaRules() {
        return schema.isEmpty() || !java.isEmpty();
    }

    /** The object as a user would send it. */
    GenericKubernetesResource object() {
        var object = new GenericKubernetesResource();
        object.setApiVersion(WellKnown.API_VERSION);
        object.setKind(kind);
        object.setMetadata(new ObjectMetaBuilder().withName("case").build());
        if (spec != null) {
            object.setAdditionalProperty("spec", spec);
        }
        return object;
    }

    /** What the Java rules say about it. */
    List<String> violations() {
        var text = new KubernetesSerialization().asYaml(object());
        var serialization = new KubernetesSerialization();
        var found = kind.equals("RstreamTunnel")
                ? TunnelRules.violations(serialization.unmarshal(text, RstreamTunnel.class))
                : ConnectionRules.violations(serialization.unmarshal(text, RstreamConnection.class));
        return found.stream().map(Violation::message).toList();
    }

    @Override
    public String toString() {
        return sentence;
    }
}
