package io.rstream.e2e.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.rstream.e2e.process.JavaProcess;
import io.rstream.testcluster.LocalCluster;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stand-in itself, with agents whose engine does not exist: they live, and are never ready. */
class LocalNodeE2E {

    // Of its own, since two nodes of one cluster would both run every agent.
    private static final LocalCluster CLUSTER = LocalCluster.start();
    private static final KubernetesClient CLIENT = CLUSTER.client();

    private static final Duration LIMIT = Duration.ofSeconds(40);

    @TempDir
    Path directory;

    private LocalNode node;
    private String namespace;

    @AfterAll
    static void stopCluster() {
        CLUSTER.close();
    }

    @BeforeEach
    void start() throws Exception {
        namespace = CLUSTER.createNamespace("node");
        var engineCa = Files.writeString(directory.resolve("engine-ca.pem"), CLUSTER.caCertificatePem());
        node = LocalNode.start(
                NodeSettings.of(CLIENT, CLUSTER.apiServer(), CLUSTER.caCertificatePem(), directory, engineCa),
                new LocalServices(directory));
        CLIENT.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("web")
                        .withNamespace(namespace)
                        .endMetadata()
                        .build())
                .create();
    }

    @AfterEach
    void stop() {
        CLUSTER.deleteNamespace(namespace);
        node.close();
    }

    @Test
    void waitsForASecretAndSaysSoInThePodsStatus() {
        apply("Recreate", "one");

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(container()).hasValueSatisfying(status -> {
                    assertThat(status.getState().getWaiting().getReason()).isEqualTo("ContainerCreating");
                    assertThat(status.getState().getWaiting().getMessage())
                            .endsWith("secret \"credentials\" not found");
                }));
        createSecret();

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(container())
                        .hasValueSatisfying(status ->
                                assertThat(status.getState().getRunning()).isNotNull()));
        assertThat(deployment().getStatus().getUnavailableReplicas()).isEqualTo(1);
    }

    @Test
    void startsAKilledAgentAgainAndCountsIt() {
        createSecret();
        apply("Recreate", "one");
        var first = awaitProcess();

        first.kill();

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(container()).hasValueSatisfying(status -> {
                    assertThat(status.getRestartCount()).isEqualTo(1);
                    assertThat(status.getLastState().getTerminated().getExitCode())
                            .isEqualTo(137);
                    assertThat(status.getState().getRunning()).isNotNull();
                }));
        assertThat(awaitProcess().pid()).isNotEqualTo(first.pid());
    }

    @Test
    void replacesThePodWhenTheTemplateChanges() {
        createSecret();
        apply("Recreate", "one");
        var first = awaitProcess();

        apply("Recreate", "two");

        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(pods())
                    .singleElement()
                    .satisfies(pod -> assertThat(pod.getMetadata().getAnnotations())
                            .containsEntry("rstream.io/config-hash", "two"));
            assertThat(first.alive()).isFalse();
            assertThat(deployment().getStatus().getObservedGeneration()).isEqualTo(2);
        });
    }

    @Test
    void keepsTheOldPodOfARollingUpdateUntilTheNewOneIsReady() {
        createSecret();
        apply("RollingUpdate", "one");
        var first = awaitProcess();

        apply("RollingUpdate", "two");

        await().atMost(LIMIT).untilAsserted(() -> assertThat(pods()).hasSize(2));
        await().atMost(LIMIT).during(Duration.ofSeconds(1)).until(first::alive);
    }

    @Test
    void stopsTheOldPodOfARollingUpdateOnceTheNewOneIsReady() {
        createSecret();
        apply("RollingUpdate", "one");
        var first = awaitProcess();
        var oldPod = pods().getFirst().getMetadata().getName();

        // An agent without an engine is never ready: a probe that passes stands in for one.
        apply("RollingUpdate", "two", "/healthz");

        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(pods()).singleElement().satisfies(pod -> {
                assertThat(pod.getMetadata().getName()).isNotEqualTo(oldPod);
                assertThat(pod.getMetadata().getAnnotations()).containsEntry("rstream.io/config-hash", "two");
                assertThat(pod.getSpec().getNodeName()).isEqualTo("local-node");
            });
            assertThat(first.alive()).isFalse();
            assertThat(deployment().getStatus().getReadyReplicas()).isEqualTo(1);
        });
        assertThat(first.awaitExit(LIMIT)).as("it was asked, not killed").isZero();
    }

    @Test
    void showsChangedSecretsAndConfigMapsToARunningPodAllAtOnce() throws Exception {
        createSecret();
        apply("Recreate", "one");
        var process = awaitProcess();
        var token = mounted("var/run/rstream/credentials/token");
        var config = mounted("etc/rstream-agent/config.yaml");
        assertThat(token).hasContent("not-a-token");

        CLIENT.secrets()
                .inNamespace(namespace)
                .withName("credentials")
                .edit(secret ->
                        secret.edit().addToStringData("token", "renewed").build());
        CLIENT.configMaps()
                .inNamespace(namespace)
                .withName("web-config")
                .edit(map ->
                        map.edit().addToData("config.yaml", "renewed: true").build());

        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(token).hasContent("renewed");
            assertThat(config).hasContent("renewed: true");
        });
        assertThat(Files.readSymbolicLink(token)).isEqualTo(Path.of("..data", "token"));
        assertThat(process.alive()).isTrue();
        assertThat(container())
                .hasValueSatisfying(
                        status -> assertThat(status.getRestartCount()).isZero());
    }

    @Test
    void keepsTheFilesOfASecretThatIsRemoved() throws Exception {
        createSecret();
        apply("Recreate", "one");
        var process = awaitProcess();
        var token = mounted("var/run/rstream/credentials/token");
        var config = mounted("etc/rstream-agent/config.yaml");

        CLIENT.secrets().inNamespace(namespace).withName("credentials").delete();
        CLIENT.configMaps()
                .inNamespace(namespace)
                .withName("web-config")
                .edit(map ->
                        map.edit().addToData("config.yaml", "renewed: true").build());

        await().atMost(LIMIT).untilAsserted(() -> assertThat(config).hasContent("renewed: true"));
        assertThat(token).hasContent("not-a-token");
        assertThat(process.alive()).isTrue();
    }

    @Test
    void saysThatAPodIsNotReadyBetweenTwoLivesOfItsProcess() {
        createSecret();
        apply("Recreate", "one", "/healthz");
        var first = awaitProcess();
        await().atMost(LIMIT).until(() -> ready().equals("True"));
        var readySince = readyCondition().getLastTransitionTime();

        first.kill();

        await().atMost(LIMIT)
                .until(() -> ready().equals("True")
                        && !readyCondition().getLastTransitionTime().equals(readySince));
        assertThat(container())
                .hasValueSatisfying(
                        status -> assertThat(status.getRestartCount()).isEqualTo(1));
    }

    @Test
    void replacesAPodThatSomebodyDeleted() {
        createSecret();
        apply("Recreate", "one");
        var first = awaitProcess();
        var name = pods().getFirst().getMetadata().getName();

        CLIENT.pods().inNamespace(namespace).withName(name).delete();

        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(pods())
                    .singleElement()
                    .satisfies(pod -> assertThat(pod.getMetadata().getName()).isNotEqualTo(name));
            assertThat(first.alive()).isFalse();
        });
    }

    @Test
    void leavesNoProcessAndNoFileOfAPodBehindWhenTheDeploymentGoes() throws Exception {
        createSecret();
        apply("Recreate", "one");
        var process = awaitProcess();

        CLIENT.apps().deployments().inNamespace(namespace).withName("web").delete();

        await().atMost(LIMIT).until(() -> !process.alive() && pods().isEmpty());
        try (var files = Files.list(directory)) {
            assertThat(files.filter(Files::isDirectory)).isEmpty();
        }
    }

    @Test
    void givesTheAgentATokenThatIsBoundToItsPod() throws Exception {
        createSecret();
        apply("Recreate", "one");
        awaitProcess();

        var claims = CLIENT.getKubernetesSerialization().unmarshal(decodedClaims(tokenFile()), java.util.Map.class);

        assertThat(claims.get("sub")).isEqualTo("system:serviceaccount:" + namespace + ":web");
        assertThat(claims.toString()).contains(pods().getFirst().getMetadata().getName());
    }

    private JavaProcess awaitProcess() {
        await().atMost(LIMIT)
                .until(() -> node.process(namespace, "web")
                        .filter(JavaProcess::alive)
                        .isPresent());
        return node.process(namespace, "web").orElseThrow();
    }

    private Path tokenFile() throws Exception {
        try (var files = Files.walk(directory)) {
            return files.filter(file -> file.endsWith("serviceaccount/token"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Where a file of the one pod really is. */
    private Path mounted(String file) throws Exception {
        try (var files = Files.walk(directory)) {
            return files.filter(path -> path.endsWith(file)).findFirst().orElseThrow();
        }
    }

    private PodCondition readyCondition() {
        return pods().getFirst().getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("Ready"))
                .findFirst()
                .orElseThrow();
    }

    private String ready() {
        var status = pods().getFirst().getStatus();
        return status.getConditions().isEmpty() ? "" : readyCondition().getStatus();
    }

    private static String decodedClaims(Path token) throws Exception {
        var part = Files.readString(token).split("\\.")[1];
        return new String(java.util.Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
    }

    private List<Pod> pods() {
        return CLIENT.pods().inNamespace(namespace).list().getItems();
    }

    private Optional<ContainerStatus> container() {
        return pods().stream()
                .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                .findFirst();
    }

    private Deployment deployment() {
        return CLIENT.apps()
                .deployments()
                .inNamespace(namespace)
                .withName("web")
                .get();
    }

    private void createSecret() {
        CLIENT.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("credentials")
                        .withNamespace(namespace)
                        .endMetadata()
                        .addToStringData("token", "not-a-token")
                        .build())
                .create();
    }

    private void apply(String strategy, String hash) {
        apply(strategy, hash, "/readyz");
    }

    private void apply(String strategy, String hash, String readiness) {
        var manifest = """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: web-config, namespace: %1$s}
                data:
                  config.yaml: |
                    connection: {engine: "edge.nowhere.localhost:1"}
                    tunnel: {name: web, publish: true, protocol: http}
                    target: {host: web.%1$s.svc, port: "8080"}
                    kubernetes: {enabled: false}
                    retry: {initial: 1s, max: 30s}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  name: web
                  namespace: %1$s
                  labels: {app.kubernetes.io/component: agent}
                spec:
                  replicas: 1
                  strategy: {type: %2$s}
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata:
                      labels: {app: web}
                      annotations: {rstream.io/config-hash: "%3$s"}
                    spec:
                      serviceAccountName: web
                      containers:
                        - name: agent
                          image: agent
                          args: [--config=/etc/rstream-agent/config.yaml, "--health-bind-address=:8081"]
                          env:
                            - name: RSTREAM_AUTHENTICATION_TOKEN_FILE
                              value: /var/run/rstream/credentials/token
                          livenessProbe: {httpGet: {path: /healthz, port: 8081}, initialDelaySeconds: 5}
                          readinessProbe: {httpGet: {path: %4$s, port: 8081}}
                          volumeMounts:
                            - {name: config, mountPath: /etc/rstream-agent}
                            - {name: credentials, mountPath: /var/run/rstream/credentials}
                      volumes:
                        - name: config
                          configMap: {name: web-config, items: [{key: config.yaml, path: config.yaml}]}
                        - name: credentials
                          projected:
                            sources:
                              - secret: {name: credentials, items: [{key: token, path: token}]}
                """.formatted(namespace, strategy, hash, readiness);
        try (var text = new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8))) {
            CLIENT.load(text)
                    .items()
                    .forEach(item -> CLIENT.resource(item)
                            .fieldManager("test")
                            .forceConflicts()
                            .serverSideApply());
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
