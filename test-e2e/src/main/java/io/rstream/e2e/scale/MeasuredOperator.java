package io.rstream.e2e.scale;

import io.rstream.e2e.install.Installation;
import io.rstream.e2e.process.FreePorts;
import io.rstream.e2e.process.JavaLaunch;
import io.rstream.e2e.process.JavaProcess;
import io.rstream.operator.OperatorMain;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An operator in a process of its own, under the shipped ServiceAccount and role, with health and metrics on loopback ports
 * that are free. Used by one thread.
 */
public final class MeasuredOperator implements AutoCloseable {

    private static final Duration TOKEN = Duration.ofDays(1);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final AtomicInteger STARTED = new AtomicInteger();

    private final JavaProcess process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final int metricsPort;
    private final int healthPort;

    private MeasuredOperator(JavaProcess process, int metricsPort, int healthPort) {
        this.process = process;
        this.metricsPort = metricsPort;
        this.healthPort = healthPort;
    }

    /**
     * Starts one and returns at once.
     *
     * @param folder for its kubeconfig and its log
     * @param jvmFlags flags of its JVM
     * @param arguments more arguments, such as {@code --leader-elect}
     */
    public static MeasuredOperator start(LocalCluster cluster, Path folder, List<String> jvmFlags, String... arguments)
            throws IOException {
        var name = "operator-" + STARTED.incrementAndGet();
        var token = cluster.serviceAccountToken(Installation.OPERATOR_NAMESPACE, Installation.OPERATOR_ACCOUNT, TOKEN);
        var kubeconfig = folder.resolve(name + ".kubeconfig");
        // The Lease is in the namespace of the context, as it is in that of the pod.
        Files.writeString(
                kubeconfig,
                cluster.kubeconfigYaml(token)
                        .replace("namespace: default", "namespace: " + Installation.OPERATOR_NAMESPACE));
        var port = FreePorts.run(2);
        var all = new ArrayList<>(List.of(
                "--kubeconfig=" + kubeconfig,
                "--metrics-bind-address=127.0.0.1:" + port,
                "--health-probe-bind-address=127.0.0.1:" + (port + 1)));
        all.addAll(List.of(arguments));
        var launch = JavaLaunch.of(name, OperatorMain.class.getName(), all.toArray(String[]::new))
                .withJvmFlags(jvmFlags)
                .withFolder(folder);
        return new MeasuredOperator(JavaProcess.start(launch), port, port + 1);
    }

    /** The process. */
    public JavaProcess process() {
        return process;
    }

    /**
     * Waits until /readyz says yes.
     *
     * @throws IllegalStateException when that does not happen in time
     */
    public void awaitReady(Duration limit) throws InterruptedException {
        var end = System.nanoTime() + limit.toNanos();
        while (!ready()) {
            if (System.nanoTime() > end || !process.alive()) {
                throw new IllegalStateException("the operator is not ready after %s%n%s%s"
                        .formatted(
                                limit, process.log().newest(), process.errors().newest()));
            }
            Thread.sleep(POLL);
        }
    }

    /** Passes over tunnels that were started so far, those that were tries after a failure included. */
    long passes() throws IOException, InterruptedException {
        return (long) metrics()
                .sum("reconciliations_started_total", sample -> sample.labels().containsValue("rstreamtunnel"));
    }

    ProcessFigures figures() {
        return ProcessFigures.of(process.pid());
    }

    MetricsText metrics() throws IOException, InterruptedException {
        return new MetricsText(get(metricsPort, "/metrics").body());
    }

    @Override
    public void close() {
        process.close();
        http.close();
    }

    private boolean ready() throws InterruptedException {
        try {
            return get(healthPort, "/readyz").statusCode() == 200;
        } catch (IOException notListening) {
            return false;
        }
    }

    private HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build(),
                BodyHandlers.ofString());
    }
}
