package io.rstream.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the generator has no annotation for: order of printer columns, keys of list-maps, atomic lists and maps, integer
 * formats, and the mandatory fields of the core/v1 types, whose Java classes do not carry them.
 */
final class SchemaRefinement {

    private static final Map<String, String> INTEGER_FORMATS = Map.of(
            "generation", "int64",
            "observedGeneration", "int64",
            "tolerationSeconds", "int64",
            "replicas", "int32",
            "tcpPort", "int32",
            "weight", "int32");

    private static final Map<String, String> LIST_MAP_KEYS =
            Map.of("conditions", "type", "controlPlaneHeaders", "name", "claims", "name");

    /** Selectors and references that are replaced as a whole by server-side apply. */
    private static final Set<String> ATOMIC_MAPS =
            Set.of("connectionRef", "labelSelector", "namespaceSelector", "preference");

    /** Fields of core/v1 types that are mandatory wherever the type has them all. */
    private static final List<Set<String>> MANDATORY_TOGETHER = List.of(
            Set.of("key", "operator", "values"),
            Set.of("preference", "weight"),
            Set.of("podAffinityTerm", "weight"),
            Set.of("nodeSelectorTerms"),
            Set.of("topologyKey"));

    private static final String QUANTITY = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
            + "([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

    private SchemaRefinement() {}

    static void refine(CustomResourceDefinition definition, Class<?> kind) {
        var version = definition.getSpec().getVersions().getFirst();
        orderColumns(version, kind);
        var root = version.getSchema().getOpenAPIV3Schema().getProperties();
        root.get("spec").setDescription("What is wanted.");
        root.get("status").setDescription("What was found. Written by the operator and its agents.");
        root.forEach(SchemaRefinement::refineProperty);
        var agent = root.get("spec").getProperties().get("agent");
        if (agent != null) {
            refineResources(agent.getProperties().get("resources"));
            refineAffinity(agent.getProperties().get("affinity"));
        }
    }

    private static void orderColumns(CustomResourceDefinitionVersion version, Class<?> kind) {
        var declared = Stream.of(kind.getAnnotationsByType(AdditionalPrinterColumn.class))
                .map(AdditionalPrinterColumn::name)
                .toList();
        var columns = new ArrayList<>(version.getAdditionalPrinterColumns());
        columns.sort(Comparator.comparingInt(column -> declared.indexOf(column.getName())));
        version.setAdditionalPrinterColumns(columns);
    }

    private static void refineProperty(String name, JSONSchemaProps schema) {
        if ("integer".equals(schema.getType())) {
            schema.setFormat(INTEGER_FORMATS.get(name));
        }
        if (schema.getXKubernetesValidations() != null) {
            // The generator finds a record component's annotation twice: on its field and on its accessor.
            schema.setXKubernetesValidations(
                    schema.getXKubernetesValidations().stream().distinct().toList());
        }
        if (LIST_MAP_KEYS.containsKey(name) && "array".equals(schema.getType())) {
            schema.setXKubernetesListType("map");
            schema.setXKubernetesListMapKeys(List.of(LIST_MAP_KEYS.get(name)));
        }
        if (ATOMIC_MAPS.contains(name)) {
            schema.setXKubernetesMapType("atomic");
        }
        children(schema).forEach(child -> child.getProperties().forEach(SchemaRefinement::refineProperty));
    }

    private static void refineResources(JSONSchemaProps resources) {
        resources.getProperties().get("claims").getItems().getSchema().setRequired(List.of("name"));
        for (var field : List.of("limits", "requests")) {
            var quantity = resources
                    .getProperties()
                    .get(field)
                    .getAdditionalProperties()
                    .getSchema();
            quantity.setPattern(QUANTITY);
        }
    }

    private static void refineAffinity(JSONSchemaProps affinity) {
        affinity.getProperties()
                .get("nodeAffinity")
                .getProperties()
                .get("requiredDuringSchedulingIgnoredDuringExecution")
                .setXKubernetesMapType("atomic");
        refineScheduling("affinity", affinity);
    }

    private static void refineScheduling(String name, JSONSchemaProps schema) {
        if ("array".equals(schema.getType())) {
            schema.setXKubernetesListType("atomic");
        }
        children(schema).forEach(child -> {
            if (name.equals("nodeSelectorTerms")) {
                child.setXKubernetesMapType("atomic");
            }
            MANDATORY_TOGETHER.stream()
                    .filter(child.getProperties().keySet()::containsAll)
                    .forEach(fields -> child.setRequired(fields.stream()
                            .filter(field -> !field.equals("values"))
                            .sorted()
                            .toList()));
            child.getProperties().forEach(SchemaRefinement::refineScheduling);
        });
    }

    /** The object behind a field: itself, or the items of a list. */
    private static Stream<JSONSchemaProps> children(JSONSchemaProps schema) {
        var object = schema.getItems() == null ? schema : schema.getItems().getSchema();
        return object.getProperties() == null ? Stream.of() : Stream.of(object);
    }
}
