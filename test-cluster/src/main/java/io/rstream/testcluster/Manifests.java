package io.rstream.testcluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Applies manifest files as {@code kubectl apply --server-side} does: CRDs first, then namespaces, then the rest in file order. */
final class Manifests {

    private static final String FIELD_MANAGER = "kubectl";

    private final KubernetesClient client;

    Manifests(KubernetesClient client) {
        this.client = client;
    }

    void apply(Path fileOrDirectory) {
        var objects = new ArrayList<HasMetadata>();
        for (var file : files(fileOrDirectory)) {
            objects.addAll(read(file));
        }
        objects.sort(Comparator.comparingInt(Manifests::order));
        objects.forEach(this::apply);
    }

    private static int order(HasMetadata object) {
        return switch (object) {
            case CustomResourceDefinition _ -> 0;
            case Namespace _ -> 1;
            default -> 2;
        };
    }

    private void apply(HasMetadata object) {
        client.resource(object).fieldManager(FIELD_MANAGER).forceConflicts().serverSideApply();
        if (object instanceof CustomResourceDefinition definition) {
            client.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .withName(definition.getMetadata().getName())
                    .waitUntilCondition(Manifests::established, 30, TimeUnit.SECONDS);
        }
    }

    private static boolean established(CustomResourceDefinition definition) {
        return definition != null
                && definition.getStatus() != null
                // The API server answers "conditions": null for a moment after the creation.
                && definition.getStatus().getConditions() != null
                && definition.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Established")
                                && condition.getStatus().equals("True"));
    }

    private List<HasMetadata> read(Path file) {
        try (var text = Files.newInputStream(file)) {
            return client.load(text).items();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read manifest " + file + ": " + e.getMessage(), e);
        }
    }

    /** The file itself, or the YAML files directly inside the directory by name; a kustomization is no manifest. */
    private static List<Path> files(Path fileOrDirectory) {
        if (!Files.isDirectory(fileOrDirectory)) {
            return List.of(fileOrDirectory);
        }
        try (var inside = Files.list(fileOrDirectory)) {
            return inside.filter(file -> file.toString().endsWith(".yaml"))
                    .filter(file -> !file.endsWith("kustomization.yaml"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list manifests in " + fileOrDirectory + ": " + e.getMessage(), e);
        }
    }
}
