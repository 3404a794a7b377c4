package io.rstream.testcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalClusterIT {

    private static final LocalCluster CLUSTER = LocalCluster.shared();

    @TempDir
    Path folder;

    @Test
    void answersKubectlWithItsOwnKubeconfig() throws Exception {
        var kubeconfig = Files.writeString(folder.resolve("kubeconfig"), CLUSTER.kubeconfigYaml());

        var answer = kubectl(kubeconfig, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}");

        assertThat(answer).isEqualTo("kubernetes-admin");
    }

    @Test
    void refusesAServiceAccountWithoutRights() {
        var namespace = CLUSTER.createNamespace("rights");
        CLUSTER.client()
                .resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("nobody")
                        .withNamespace(namespace)
                        .endMetadata()
                        .build())
                .create();
        var token = CLUSTER.serviceAccountToken(namespace, "nobody", Duration.ofMinutes(10));

        try (var client = new KubernetesClientBuilder()
                .withConfig(CLUSTER.configFor(token))
                .build()) {
            assertThatThrownBy(() -> client.secrets().inNamespace(namespace).list())
                    .isInstanceOfSatisfying(KubernetesClientException.class, refused -> {
                        assertThat(refused.getCode()).isEqualTo(403);
                        assertThat(refused.getMessage()).contains("system:serviceaccount:" + namespace + ":nobody");
                    });
        }
    }

    @Test
    void appliesCustomResourceDefinitionsBeforeTheirObjects() throws IOException {
        Files.writeString(folder.resolve("a-object.yaml"), """
                apiVersion: test.rstream.io/v1
                kind: Widget
                metadata: {name: first, namespace: default}
                spec: {size: 3}
                """);
        Files.writeString(folder.resolve("b-definition.yaml"), """
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata: {name: widgets.test.rstream.io}
                spec:
                  group: test.rstream.io
                  scope: Namespaced
                  names: {kind: Widget, plural: widgets, singular: widget}
                  versions:
                    - name: v1
                      served: true
                      storage: true
                      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
                """);

        CLUSTER.apply(folder);

        assertThat(CLUSTER.client()
                        .genericKubernetesResources("test.rstream.io/v1", "Widget")
                        .inNamespace("default")
                        .withName("first")
                        .get())
                .isNotNull();
    }

    @Test
    void deletesANamespaceWithWhatItHolds() {
        var namespace = CLUSTER.createNamespace("gone");
        CLUSTER.client()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("content")
                        .withNamespace(namespace)
                        .endMetadata()
                        .build())
                .create();

        CLUSTER.deleteNamespace(namespace);

        assertThat(CLUSTER.client().namespaces().withName(namespace).get()).isNull();
    }

    private static String kubectl(Path kubeconfig, String... arguments) throws Exception {
        var command = new java.util.ArrayList<>(
                java.util.List.of(CLUSTER.kubectl().toString(), "--kubeconfig=" + kubeconfig));
        command.addAll(java.util.List.of(arguments));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
