package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Generates the resource definitions of both kinds from their classes, as the files of {@code config/crd/bases}. */
final class CustomResourceDefinitions {

    private static final String HEADER = """
            # Generated from the classes of the module api; do not edit. To regenerate:
            # mvn -q -pl api test -Dtest=CustomResourceDefinitionsTest -Dgenerate=true
            """;

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .build();

    private CustomResourceDefinitions() {}

    /** File name to text of the file, for both kinds. */
    static Map<String, String> files() {
        var files = new LinkedHashMap<String, String>();
        for (var kind : List.of(RstreamConnection.class, RstreamTunnel.class)) {
            var definition = of(kind);
            var plural = definition.getSpec().getNames().getPlural();
            files.put("%s_%s.yaml".formatted(WellKnown.GROUP, plural), HEADER + text(definition));
        }
        return files;
    }

    /** The definition of one kind: what its annotations say, refined by what no annotation can say. */
    static CustomResourceDefinition of(Class<? extends CustomResource<?, ?>> kind) {
        var output = new ByteArrayOutputStream();
        new CRDGenerator()
                .customResourceClasses(kind)
                .withParallelGenerationEnabled(false)
                .withOutput(new SingleOutput(output))
                .generate();
        var definition = new KubernetesSerialization()
                .unmarshal(output.toString(StandardCharsets.UTF_8), CustomResourceDefinition.class);
        SchemaRefinement.refine(definition, kind);
        return definition;
    }

    private static String text(CustomResourceDefinition definition) {
        try {
            // Bounds are doubles in the model; a whole number reads better without its fraction.
            return YAML.writeValueAsString(definition).replaceAll("(?m)((?:min|max)imum: \\d+)\\.0$", "$1");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the definition cannot be written as YAML", e);
        }
    }

    private record SingleOutput(ByteArrayOutputStream stream) implements CRDGenerator.CRDOutput<ByteArrayOutputStream> {

        @Override
        public ByteArrayOutputStream outputFor(String name) {
            return stream;
        }

        @Override
        public void close() {}
    }
}
