package io.rstream.agent.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rstream.agent.log.TunnelName;
import io.rstream.testcluster.FaultyApi;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;

/**
 * A tunnel object on the real API server that an operator wrote the status of once, and agents that report to it through a
 * proxy, with no more rights than the operator gives them.
 */
final class SharedTunnel implements AutoCloseable {
    static final String WANTED = "aaaaaaaaaaaaaaaa";
    static final String OLD = "bbbbbbbbbbbbbbbb";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ReporterTimings QUICK = new ReporterTimings(
            Duration.ofMillis(50),
            Duration.ofMillis(400),
            Duration.ofMillis(400),
            Duration.ofMillis(100),
            Duration.ofSeconds(10));

    final FaultyApi api;
    private final Path directory;
    private final String namespace;
    private final StatusClient admin;

    private SharedTunnel(LocalCluster cluster, Path directory) throws Exception {
        this.directory = directory;
        namespace = cluster.createNamespace("report");
        cluster.apply(Files.writeString(directory.resolve("tunnel.yaml"), """
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: web, namespace: %1$s}
                spec: {target: {service: {name: web, port: 80}}}
                ---
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: agent, namespace: %1$s}
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: Role
                metadata: {name: agent, namespace: %1$s}
                rules:
                - {apiGroups: [tunnels.rstream.io], resources: [rstreamtunnels], resourceNames: [web], verbs: [get]}
                - {apiGroups: [tunnels.rstream.io], resources: [rstreamtunnels/status], resourceNames: [web], verbs: [get, patch, update]}
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: agent, namespace: %1$s}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: agent}
                subjects: [{kind: ServiceAccount, name: agent, namespace: %1$s}]
                """.formatted(namespace)));
        api = FaultyApi.before(cluster);
        account(
                "agent",
                cluster.serviceAccountToken(namespace, "agent", Duration.ofMinutes(10)),
                api.caCertificatePem());
        account("admin", cluster.config().getOauthToken(), cluster.caCertificatePem());
        admin = StatusClient.of(cluster.apiServer(), directory.resolve("admin"), namespace, "web");
        operatorSays(1);
    }

    static SharedTunnel in(Path directory) throws Exception {
        LocalCluster cluster = LocalCluster.shared();
        cluster.installCrds();
        return new SharedTunnel(cluster, directory);
    }

    private void account(String name, String token, String certificate) throws IOException {
        Path account = Files.createDirectories(directory.resolve(name));
        Files.writeString(account.resolve("token"), token);
        Files.writeString(account.resolve("ca.crt"), certificate);
    }

    StatusReporter agent(String pod, String hash) throws IOException {
        return StatusReporter.start(
                StatusClient.of(api.uri(), directory.resolve("agent"), namespace, "web"),
                new AgentIdentity(pod, hash, ""),
                new TunnelName(namespace, "web"),
                QUICK,
                Clock.systemUTC(),
                new Random(1));
    }

    /** What the operator does at each reconciliation, again when somebody was faster. */
    void operatorSays(int generation) throws Exception {
        ObjectNode part = (ObjectNode) JSON.readTree("""
                {"observedGeneration": %d, "agentConfigHash": "%s", "conditions": [{"type": "Accepted",
                 "status": "True", "reason": "Accepted", "message": "", "lastTransitionTime": "2026-12-01T00:00:00Z"}]}
                """.formatted(generation, WANTED));
        while (true) {
            try {
                admin.apply(admin.get(), "rstream-operator", part);
                return;
            } catch (StatusCallException e) {
                if (!e.isConflict()) {
                    throw e;
                }
            }
        }
    }

    /** What the operator does when the pod of the report is gone. */
    void withdrawReport() throws Exception {
        admin.apply(admin.get(), Report.MANAGER, JSON.createObjectNode());
    }

    JsonNode status() {
        try {
            return admin.get().document().path("status");
        } catch (IOException | InterruptedException | StatusCallException e) {
            throw new AssertionError(e);
        }
    }

    /** {@code pod reason}, or "" without a report. */
    String report() {
        for (JsonNode condition : status().path("conditions")) {
            if (condition.path("type").asText().equals("TunnelReady")) {
                return status().at("/agent/pod").asText() + " "
                        + condition.path("reason").asText();
            }
        }
        return "";
    }

    @Override
    public void close() {
        admin.close();
        api.close();
    }
}
