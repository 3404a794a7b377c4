package io.rstream.testcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultyApiIT {

    private static final LocalCluster CLUSTER = LocalCluster.shared();

    private final FaultyApi api = FaultyApi.before(CLUSTER);
    private final KubernetesClient client = client(api.config());
    private String namespace;

    @BeforeEach
    void makeNamespace() {
        namespace = CLUSTER.createNamespace("faults");
    }

    @AfterEach
    void stop() {
        client.close();
        api.close();
    }

    @Test
    void recordsWhoCalledWhatAndWhatWasAnswered() {
        CLUSTER.client()
                .resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("robot")
                        .withNamespace(namespace)
                        .endMetadata()
                        .build())
                .create();
        var token = CLUSTER.serviceAccountToken(namespace, "robot", Duration.ofMinutes(10));

        try (var robot = client(api.configFor(token))) {
            assertThatThrownBy(() -> robot.secrets()
                            .inNamespace(namespace)
                            .withName("key")
                            .get())
                    .isInstanceOf(KubernetesClientException.class);
        }

        assertThat(api.calls())
                .containsExactly(new Call(
                        "system:serviceaccount:" + namespace + ":robot",
                        "get",
                        "",
                        "secrets",
                        "",
                        namespace,
                        "key",
                        403,
                        ""));
    }

    @Test
    void passesWatchEventsOnAsTheyCome() {
        var seen = new CopyOnWriteArrayList<String>();
        try (var _ = client.configMaps().inNamespace(namespace).watch(new Recorder(seen))) {

            create("first");
            await().untilAsserted(() -> assertThat(seen).as("%s", api.calls()).containsExactly("first"));
            create("second");

            await().untilAsserted(() -> assertThat(seen).containsExactly("first", "second"));
        }
    }

    @Test
    void answersInPlaceOfTheApiServerAsOftenAsTold() {
        api.answer(call -> call.resource().equals("configmaps") && call.verb().equals("create"), 409, 1);

        assertThatThrownBy(() -> client.resource(configMap("wanted")).create())
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        refused -> assertThat(refused.getCode()).isEqualTo(409));
        client.resource(configMap("wanted")).create();

        assertThat(api.calls()).extracting(Call::status).containsExactly(409, 201);
    }

    @Test
    void dropsAWatchAndRefusesConnectionsWhileCutAndComesBackOnTheSamePort() throws Exception {
        var closed = new CountDownLatch(1);
        var before = api.uri();
        try (var _ =
                client.configMaps().inNamespace(namespace).watch(new Recorder(new CopyOnWriteArrayList<>(), closed))) {
            await().until(() ->
                    api.calls().stream().anyMatch(call -> call.verb().equals("watch")));

            api.cut();

            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
        api.restore();
        assertThat(api.uri()).isEqualTo(before);
        assertThat(client.configMaps().inNamespace(namespace).list().getItems()).isEmpty();
    }

    @Test
    void informersCatchUpAfterACut() {
        try (var informer = client.configMaps().inNamespace(namespace).inform()) {
            api.cut();
            CLUSTER.client().resource(configMap("meanwhile")).create();
            api.restore();

            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> informer.getStore().list().stream()
                            .anyMatch(map -> map.getMetadata().getName().equals("meanwhile")));
        }
    }

    private void connect() throws Exception {
        try (var socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(), api.uri().getPort()),
                    1000);
        }
    }

    private void create(String name) {
        CLUSTER.client().resource(configMap(name)).create();
    }

    private ConfigMap configMap(String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .build();
    }

    private static KubernetesClient client(Config config) {
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private record Recorder(List<String> names, CountDownLatch closed) implements Watcher<ConfigMap> {

        Recorder(List<String> names) {
            this(names, new CountDownLatch(1));
        }

        @Override
        public void eventReceived(Action action, ConfigMap map) {
            if (action != Action.BOOKMARK) {
                names.add(map.getMetadata().getName());
            }
        }

        @Override
        public void onClose(WatcherException cause) {
            closed.countDown();
        }
    }
}
