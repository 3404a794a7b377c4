package io.rstream.operator.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.SecretKeyRef;
import io.rstream.process.Secret;
import io.rstream.testcluster.FaultyApi;
import io.rstream.testcluster.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One watch of Secrets on a real API server, seen from both ends. */
@Tag("parity-139")
class ReferencedSecretsIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final LocalCluster cluster = LocalCluster.shared();
    private final FaultyApi api = FaultyApi.before(cluster);
    private final KubernetesClient client =
            new KubernetesClientBuilder().withConfig(api.config()).build();
    private String namespace;

    @BeforeEach
    void prepare() {
        namespace = cluster.createNamespace("secrets");
        api.forgetCalls();
    }

    @AfterEach
    void close() {
        client.close();
        api.close();
    }

    @Test
    void readsASecretOncePerVersion() {
        create("token", Map.of("token", "one"));
        try (var secrets = start(Set.of())) {
            assertThat(secrets.of(connection()).get("token").keys()).containsExactly("token");
            assertThat(secrets.of(connection()).get("token").keys()).containsExactly("token");
            assertThat(reads()).isEqualTo(1);

            change("token", Map.of("token", "two", "other", "x"));
            await().atMost(LIMIT)
                    .until(() -> secrets.of(connection()).get("token").keys().equals(Set.of("token", "other")));

            cluster.client().secrets().inNamespace(namespace).withName("token").delete();
            await().atMost(LIMIT).until(() -> secrets.of(connection()).isEmpty());
        }
    }

    @Test
    void listsAndWatchesMetadataOnly() {
        create("token", Map.of("token", "one"));
        try (var secrets = start(Set.of())) {
            create("later", Map.of("token", "one"));
            await().atMost(LIMIT).until(() -> isWatching());

            assertThat(secrets.of(connection())).containsKey("token");
            assertThat(api.calls())
                    .filteredOn(call -> call.resource().equals("secrets"))
                    .filteredOn(call -> Set.of("list", "watch").contains(call.verb()))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allSatisfy(call -> assertThat(call.accept())
                            .startsWith("application/json;as=PartialObjectMetadata")
                            .doesNotContain(","));
        }
    }

    @Test
    void tellsWhoeverRefersToASecretThatItChanged() {
        List<ResourceID> told = new CopyOnWriteArrayList<>();
        try (var watch = new SecretWatch(api.config(), Set.of(namespace))) {
            watch.listen(told::add);
            watch.start(LIMIT, failure -> {});
            create("token", Map.of("token", "one"));
            await().atMost(LIMIT).until(() -> told.size() == 1);

            change("token", Map.of("token", "two"));
            await().atMost(LIMIT).until(() -> told.size() == 2);

            cluster.client().secrets().inNamespace(namespace).withName("token").delete();
            await().atMost(LIMIT).until(() -> told.size() == 3);
            assertThat(told).containsOnly(new ResourceID("token", namespace));
        }
    }

    @Test
    void looksAtTheGivenNamespacesOnly() {
        var other = cluster.createNamespace("unwatched");
        create("token", Map.of("token", "one"));
        cluster.client()
                .resource(secret("token", Map.of("token", "one"))
                        .edit()
                        .editMetadata()
                        .withNamespace(other)
                        .endMetadata()
                        .build())
                .create();
        try (var secrets = start(Set.of(namespace))) {

            assertThat(secrets.of(connection())).containsKey("token");
            assertThat(secrets.of(connectionIn(other))).isEmpty();
            assertThat(api.calls())
                    .filteredOn(call -> call.resource().equals("secrets"))
                    .allSatisfy(call -> assertThat(call.namespace()).isEqualTo(namespace));
        }
    }

    @Test
    void readsAValueAtTheMomentOfItsUse() {
        create("token", Map.of("token", "one"));
        try (var secrets = start(Set.of())) {
            var ref = new SecretKeyRef("token", "token");
            assertThat(secrets.value(namespace, ref)).contains(Secret.of("one"));

            change("token", Map.of("token", "two"));

            assertThat(secrets.value(namespace, ref)).contains(Secret.of("two"));
            assertThat(secrets.value(namespace, new SecretKeyRef("token", "absent")))
                    .isEmpty();
            assertThat(secrets.value(namespace, new SecretKeyRef("absent", "token")))
                    .isEmpty();
        }
    }

    @Test
    void saysThatItMayNotListSecrets() {
        api.answer(call -> call.resource().equals("secrets"), 403, 1);

        assertThatThrownBy(() -> start(Set.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cannot watch Secrets");
    }

    /** The annotation is what {@code kubectl apply} leaves; it repeats the value and belongs to the metadata. */
    @Test
    void retainsNoValueAndNoAnnotation() {
        cluster.client()
                .resource(secret("token", Map.of("token", "marker"))
                        .edit()
                        .editMetadata()
                        .addToAnnotations("kubectl.kubernetes.io/last-applied-configuration", "marker")
                        .endMetadata()
                        .build())
                .create();
        try (var watch = new SecretWatch(api.config(), Set.of(namespace))) {
            watch.start(LIMIT, failure -> {});
            change("token", Map.of("token", "marker", "other", "marker"));
            var version = cluster.client()
                    .secrets()
                    .inNamespace(namespace)
                    .withName("token")
                    .get()
                    .getMetadata()
                    .getResourceVersion();
            await().atMost(LIMIT)
                    .until(() ->
                            watch.version(new ResourceID("token", namespace)).equals(Optional.of(version)));

            assertThat(Serialization.asYaml(watch.retained()))
                    .contains(namespace)
                    .doesNotContain("marker", "bWFya2Vy", "annotations", "managedFields");
        }
    }

    private ReferencedSecrets start(Set<String> namespaces) {
        return ReferencedSecrets.start(api.config(), client, namespaces, failure -> {});
    }

    private long reads() {
        return api.calls().stream()
                .filter(call -> call.resource().equals("secrets") && call.verb().equals("get"))
                .count();
    }

    private boolean isWatching() {
        return api.calls().stream()
                .anyMatch(
                        call -> call.resource().equals("secrets") && call.verb().equals("watch"));
    }

    private void create(String name, Map<String, String> values) {
        cluster.client().resource(secret(name, values)).create();
    }

    private void change(String name, Map<String, String> values) {
        cluster.client()
                .secrets()
                .inNamespace(namespace)
                .withName(name)
                .edit(present ->
                        present.edit().withData(null).withStringData(values).build());
    }

    private io.fabric8.kubernetes.api.model.Secret secret(String name, Map<String, String> values) {
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withStringData(values)
                .build();
    }

    private RstreamConnection connection() {
        return connectionIn(namespace);
    }

    private static RstreamConnection connectionIn(String namespace) {
        return new KubernetesSerialization().unmarshal("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamConnection
                metadata: {name: default, namespace: %s}
                spec: {engine: 'engine.example.com:443', tokenSecretRef: {name: token, key: token}}
                """.formatted(namespace), RstreamConnection.class);
    }
}
