package io.rstream.e2e.install;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;

/** Applies {@code config/samples} as a user would: unchanged but for where the connections lead, and with the Secret made by hand. */
public final class Samples {

    /** The namespace that the samples make. */
    public static final String NAMESPACE = "rstream-demo";

    private static final Duration POLL = Duration.ofMillis(100);

    private final Installation installation;

    /** Samples for one installation. */
    public Samples(Installation installation) {
        this.installation = installation;
    }

    /** Starts local servers under the names and ports of the samples' Services. */
    public DemoServices serve() throws IOException {
        var services = installation.services();
        return DemoServices.start(
                new InetSocketAddress(services.publish(NAMESPACE, "http-server"), 8080),
                new InetSocketAddress(services.publish(NAMESPACE, "tcp-echo"), 7007));
    }

    /** Applies all samples. */
    public void apply() throws IOException {
        var samples = LocalCluster.repositoryRoot().resolve("config/samples");
        var copies = Files.createTempDirectory(installation.directory(), "samples-");
        try (var files = Files.list(samples)) {
            for (var file : files.toList()) {
                Files.writeString(
                        copies.resolve(String.valueOf(file.getFileName())), withOurEngine(Files.readString(file)));
            }
        }
        installation.cluster().apply(copies.resolve("http_server.yaml"));
        createCredentials();
        installation.cluster().apply(copies);
        Installation.deleteTree(copies);
    }

    /**
     * Waits until a tunnel of the samples is ready.
     *
     * @return where callers reach it
     * @throws IllegalStateException when it is not ready in time; the message says what its conditions say
     */
    public String awaitReady(String tunnel, Duration limit) throws InterruptedException {
        var deadline = Instant.now().plus(limit);
        while (true) {
            var status = status(tunnel);
            var address = status.forwardingAddress();
            if (address != null && isReady(status)) {
                return address;
            }
            if (Instant.now().isAfter(deadline)) {
                throw new IllegalStateException("tunnel %s/%s is not ready after %d s: %s"
                        .formatted(NAMESPACE, tunnel, limit.toSeconds(), words(status)));
            }
            Thread.sleep(POLL);
        }
    }

    private RstreamTunnelStatus status(String name) {
        var tunnel = installation
                .client()
                .resources(RstreamTunnel.class)
                .inNamespace(NAMESPACE)
                .withName(name)
                .get();
        return tunnel == null || tunnel.getStatus() == null ? RstreamTunnelStatus.empty() : tunnel.getStatus();
    }

    private static boolean isReady(RstreamTunnelStatus status) {
        return status.conditions().stream()
                .anyMatch(
                        condition -> condition.is(ConditionType.READY) && condition.status() == Condition.Status.TRUE);
    }

    private static String words(RstreamTunnelStatus status) {
        var open = status.conditions().stream()
                .filter(condition -> condition.status() != Condition.Status.TRUE)
                .map(condition -> "%s (%s) %s".formatted(condition.type(), condition.reason(), condition.message()))
                .collect(Collectors.joining("; "));
        return open.isEmpty() ? "the operator has not looked at it" : open;
    }

    /** The operator resolves no names below localhost, and the engine's certificate and API know it as localhost too. */
    private String withOurEngine(String manifest) {
        var engine = installation.engine();
        return manifest.replaceAll("(?m)^(\\s+engine:).*$", "$1 " + engine.address())
                .replaceAll("(?m)^(\\s+apiURL:).*$", "$1 https://localhost:" + engine.port());
    }

    private void createCredentials() {
        installation
                .client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("rstream-credentials")
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .addToStringData("token", installation.token().reveal())
                        .build())
                .serverSideApply();
    }
}
