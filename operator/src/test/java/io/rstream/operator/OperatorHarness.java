package io.rstream.operator;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.AgentReport;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.NextAgent;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.testcluster.Call;
import io.rstream.testcluster.FaultyApi;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

/**
 * An operator on a real API server, running as the shipped ServiceAccount with the shipped role, behind a proxy that records
 * and breaks its calls. Stands in for kubelet and agent by writing what they would write, each under its own field manager.
 */
final class OperatorHarness implements AutoCloseable {

    static final String IMAGE = "registry.example.com/agent:test";
    static final String ENGINE = "project-42.edge.example.com:443";
    static final String MARKER = "marker-0123456789-marker";

    private static final String SYSTEM = "rstream-system";
    private static final String ACCOUNT = "rstream-operator-controller-manager";

    private final LocalCluster cluster = LocalCluster.shared();
    private final FaultyApi api;
    private final String token;
    private final OperatorOptions options;
    private OperatorProcess operator;

    private OperatorHarness(String token, OperatorOptions options) throws IOException {
        this.token = token;
        this.options = options;
        api = FaultyApi.before(cluster);
        operator = startOperator();
    }

    static OperatorHarness start() throws IOException {
        var cluster = LocalCluster.shared();
        cluster.installCrds();
        cluster.apply(LocalCluster.repositoryRoot().resolve("config/rbac"));
        return new OperatorHarness(
                cluster.serviceAccountToken(SYSTEM, ACCOUNT, Duration.ofHours(1)), OperatorOptions.local(IMAGE));
    }

    /** An operator with other rights and options; the resource definitions must be there. */
    static OperatorHarness start(String token, OperatorOptions options) throws IOException {
        return new OperatorHarness(token, options);
    }

    private OperatorProcess startOperator() throws IOException {
        return OperatorProcess.start(api.configFor(token), options);
    }

    void restartOperator() throws IOException {
        operator.close();
        operator = startOperator();
    }

    OperatorProcess operator() {
        return operator;
    }

    FaultyApi api() {
        return api;
    }

    LocalCluster cluster() {
        return cluster;
    }

    KubernetesClient client() {
        return cluster.client();
    }

    /** Calls of the operator that change something. */
    List<Call> writes() {
        return api.calls().stream()
                .filter(Call::writes)
                .filter(call -> !call.resource().startsWith("selfsubject"))
                .toList();
    }

    String namespace() {
        return cluster.createNamespace("operator");
    }

    void connection(String namespace) {
        client().resource(client().getKubernetesSerialization()
                        .unmarshal("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamConnection
                metadata: {name: default, namespace: %s}
                spec: {engine: '%s', tokenSecretRef: {name: rstream-token, key: token}}
                """.formatted(namespace, ENGINE), RstreamConnection.class))
                .create();
    }

    Secret secret(String namespace) {
        return client().resource(secretNamed(namespace, "rstream-token")).create();
    }

    Secret secretNamed(String namespace, String name) {
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .addToStringData("token", MARKER)
                .build();
    }

    void service(String namespace) {
        client().resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("web")
                        .endMetadata()
                        .withNewSpec()
                        .addNewPort()
                        .withName("http")
                        .withPort(8080)
                        .endPort()
                        .endSpec()
                        .build())
                .create();
    }

    /** Creates a tunnel with flow-style spec fields beside the target. */
    RstreamTunnel tunnel(String namespace, String name, String fields) {
        return client().resource(client().getKubernetesSerialization()
                        .unmarshal(
                                """
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: '%s', namespace: %s}
                spec: {target: {service: {name: web, port: http}} %s}
                """.formatted(name, namespace, fields.isEmpty() ? "" : ", " + fields),
                                RstreamTunnel.class))
                .create();
    }

    /** A namespace with connection, Secret, Service and the tunnel web. */
    RstreamTunnel complete() {
        return completeIn(namespace());
    }

    /** As {@link #complete}, in a namespace that is there. */
    RstreamTunnel completeIn(String namespace) {
        secret(namespace);
        connection(namespace);
        service(namespace);
        return tunnel(namespace, "web", "");
    }

    /** A tunnel that uses every setting of its pod, over a connection with a client certificate and a proxy; online. */
    RstreamTunnel tunnelWithEverySetting() {
        var namespace = namespace();
        service(namespace);
        client().resource(new SecretBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("credentials")
                        .endMetadata()
                        .addToStringData(
                                Map.of("tls.crt", "c", "tls.key", "k", "ca.crt", "a", "user", "u", "pass", "p"))
                        .build())
                .create();
        client().resource(client().getKubernetesSerialization()
                        .unmarshal("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamConnection
                metadata: {name: default, namespace: %s}
                spec:
                  engine: '%s'
                  mtls:
                    certSecretRef: {name: credentials, key: tls.crt}
                    keySecretRef: {name: credentials, key: tls.key}
                    caSecretRef: {name: credentials, key: ca.crt}
                  transport:
                    proxy:
                      http: http://proxy.example.com:3128
                      usernameSecretRef: {name: credentials, key: user}
                      passwordSecretRef: {name: credentials, key: pass}
                """.formatted(namespace, ENGINE), RstreamConnection.class))
                .create();
        var tunnel = tunnel(namespace, "web", """
                agent: {
                  resources: {requests: {cpu: "0.1", memory: 1.5Gi}, limits: {cpu: 1.50, memory: "2048Mi"}},
                  nodeSelector: {zone: a}, priorityClassName: "", podLabels: {team: blue}, podAnnotations: {note: "1"},
                  tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 30}, {operator: Exists}],
                  affinity: {
                    nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
                      {matchExpressions: [{key: arch, operator: In, values: [amd64, arm64]}]}]}},
                    podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 7, podAffinityTerm: {
                      topologyKey: zone, labelSelector: {matchLabels: {team: blue}}}}]}}}""");
        return bringOnline(tunnel);
    }

    /** As {@link #complete}, with a running agent that is online. */
    RstreamTunnel online() {
        return bringOnline(complete());
    }

    /** Stands in for kubelet and agent until the tunnel is ready. */
    RstreamTunnel bringOnline(RstreamTunnel tunnel) {
        awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        deploymentIsAvailable(tunnel);
        agentReports(tunnel, Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");
        awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);
        return tunnel;
    }

    RstreamTunnel read(RstreamTunnel tunnel) {
        return client().resource(tunnel).get();
    }

    RstreamConnection readConnection(String namespace) {
        return client().resources(RstreamConnection.class)
                .inNamespace(namespace)
                .withName("default")
                .get();
    }

    String childName(RstreamTunnel tunnel) {
        var metadata = tunnel.getMetadata();
        return io.rstream.operator.tunnel.AgentNames.childBaseName(
                metadata.getNamespace(), metadata.getName(), metadata.getUid());
    }

    @Nullable
    Deployment deployment(RstreamTunnel tunnel) {
        return client().apps()
                .deployments()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName(childName(tunnel))
                .get();
    }

    /** What the Deployment controller and kubelet write when the newest pod is ready. */
    void deploymentIsAvailable(RstreamTunnel tunnel) {
        deploymentHas(tunnel, 1);
    }

    /** What they write when the newest pod exists and is not ready. */
    void deploymentIsPending(RstreamTunnel tunnel) {
        deploymentHas(tunnel, 0);
    }

    private void deploymentHas(RstreamTunnel tunnel, int available) {
        var deployment = await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> deployment(tunnel), java.util.Objects::nonNull);
        // Without a version: the operator may change the Deployment at the same moment.
        client().resource(deployment)
                .subresource("status")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"status\":{\"observedGeneration\":%d,\"replicas\":1,\"updatedReplicas\":1,\"readyReplicas\":%d,\"availableReplicas\":%d}}"
                                .formatted(deployment.getMetadata().getGeneration(), available, available));
    }

    /** A pod of the tunnel's Deployment as it is now, running on node-1 and ready, as its controller and kubelet make it. */
    Pod agentPod(RstreamTunnel tunnel, String name) {
        var template = deployment(tunnel).getSpec().getTemplate();
        var pod = client().resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(tunnel.getMetadata().getNamespace())
                        .withName(name)
                        .withLabels(template.getMetadata().getLabels())
                        .withAnnotations(template.getMetadata().getAnnotations())
                        .endMetadata()
                        .withSpec(template.getSpec())
                        .editSpec()
                        .withNodeName("node-1")
                        .endSpec()
                        .build())
                .create();
        podIs(pod, true);
        return pod;
    }

    /** What the kubelet writes when the probe of a pod, which has run for a while, changes. */
    void podIs(Pod pod, boolean ready) {
        podStatus(pod, """
                phase: Running
                conditions: [{type: Ready, status: '%s', lastTransitionTime: '2026-01-02T03:05:00Z'}]
                containerStatuses:
                - {name: agent, image: i, imageID: i, restartCount: 0, ready: %s, state: {running: {startedAt: '2026-01-02T03:04:00Z'}}}
                """.formatted(ready ? "True" : "False", ready));
    }

    void podStatus(Pod pod, String yaml) {
        var status = client().getKubernetesSerialization().unmarshal(yaml, PodStatus.class);
        client().pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .editStatus(present -> {
                    present.setStatus(status);
                    return present;
                });
    }

    /** Removes a pod at once, as when its node is gone. */
    void loses(Pod pod) {
        client().resource(pod).withGracePeriod(0).delete();
    }

    /** What an agent applies that knows its pod and its configuration. */
    void agentReports(RstreamTunnel tunnel, AgentReport agent, Status status, Reason reason, String message) {
        agentApplies(tunnel, agent, status, reason, message);
    }

    /** What an agent applies that has not managed to take over. */
    void nextAgentReports(RstreamTunnel tunnel, NextAgent next) {
        apply(tunnel, RstreamTunnelStatus.builder().nextAgent(next).build(), WellKnown.FIELD_MANAGER_NEXT_AGENT);
    }

    /** The hash of the configuration that the spec asks for, once the operator has said it. */
    String wantedHash(RstreamTunnel tunnel) {
        awaitTunnel(tunnel, present -> present.observed().agentConfigHash() != null);
        return read(tunnel).observed().agentConfigHash();
    }

    /** What the agent of an earlier version applies. */
    void agentReports(RstreamTunnel tunnel, Status status, Reason reason, String message) {
        agentApplies(tunnel, null, status, reason, message);
    }

    private void agentApplies(
            RstreamTunnel tunnel, @Nullable AgentReport agent, Status status, Reason reason, String message) {
        var condition =
                new Condition(ConditionType.TUNNEL_READY.code(), status, reason.code(), message, Instant.now(), 1L);
        var online = status == Status.TRUE;
        apply(
                tunnel,
                RstreamTunnelStatus.builder()
                        .conditions(List.of(condition))
                        .tunnelID(online ? "tunnel-1" : null)
                        .forwardingAddress(online ? "https://web.example.com" : null)
                        .agent(agent)
                        .build(),
                WellKnown.FIELD_MANAGER_AGENT);
    }

    private void apply(RstreamTunnel tunnel, RstreamTunnelStatus status, String manager) {
        var patch = new RstreamTunnel();
        patch.getMetadata().setNamespace(tunnel.getMetadata().getNamespace());
        patch.getMetadata().setName(tunnel.getMetadata().getName());
        patch.setStatus(status);
        client().resource(patch)
                .subresource("status")
                .patch(new PatchContext.Builder()
                        .withFieldManager(manager)
                        .withForce(true)
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .build());
    }

    void awaitCondition(RstreamTunnel tunnel, ConditionType type, Status status, Reason reason) {
        awaitTunnel(
                tunnel,
                present -> Conditions.find(present.observed().conditions(), type)
                        .filter(condition -> condition.status() == status
                                && condition.reason().equals(reason.code()))
                        .isPresent());
    }

    void awaitTunnel(RstreamTunnel tunnel, Predicate<RstreamTunnel> expectation) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> read(tunnel), present -> present != null && expectation.test(present));
    }

    static void eventually(ThrowingRunnable assertion) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(assertion);
    }

    /** A ServiceAccount that has the name of the tunnel's, is labelled like it, and belongs to a ConfigMap. */
    ServiceAccount foreignServiceAccount(RstreamTunnel tunnel) {
        var namespace = tunnel.getMetadata().getNamespace();
        var owner = client().resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("owner")
                        .endMetadata()
                        .build())
                .create();
        return client().resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(childName(tunnel))
                        .addToLabels(WellKnown.LABEL_MANAGED_BY, WellKnown.APPLICATION_NAME)
                        .addNewOwnerReference()
                        .withApiVersion("v1")
                        .withKind("ConfigMap")
                        .withName("owner")
                        .withUid(owner.getMetadata().getUid())
                        .withController(true)
                        .endOwnerReference()
                        .endMetadata()
                        .build())
                .create();
    }

    /** What {@code kubectl patch --type=merge} does. */
    void merge(RstreamTunnel tunnel, String patch) {
        client().resources(RstreamTunnel.class)
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName(tunnel.getMetadata().getName())
                .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    }

    /**
     * Waits until the operator has looked at everything that happened so far: a change to another tunnel, made now, has been
     * answered, and the given tunnel was passed over several times on the way.
     */
    void settle(RstreamTunnel tunnel) {
        for (var round = 0; round < 5; round++) {
            merge(tunnel, "{\"metadata\":{\"annotations\":{\"test/touch\":\"round-%d\"}}}".formatted(round));
        }
        var probe = complete();
        awaitCondition(probe, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        client().resource(probe).delete();
        await().atMost(Duration.ofSeconds(30)).until(() -> read(probe) == null);
    }

    @Override
    public void close() {
        operator.close();
        api.close();
    }
}
