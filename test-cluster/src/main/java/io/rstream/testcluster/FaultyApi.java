package io.rstream.testcluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A TLS proxy before the API server, with a certificate of its own, that delays, cuts or answers calls itself on demand and records
 * every call with its user. Speaks HTTP/1.1, passes watches on as they come. Safe for use from any thread.
 */
public final class FaultyApi implements AutoCloseable {

    // Below the range that the system hands out by itself, so that nobody takes the port while the proxy is cut.
    private static final int LOWEST_PORT = 20_000;
    private static final int HIGHEST_PORT = 30_000;

    private final LocalCluster cluster;
    private final ServingCertificate certificate = ServingCertificate.forLoopback("CN=faulty-api");
    private final Path caFile;
    private final Upstream upstream;
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final List<Answer> answers = new CopyOnWriteArrayList<>();
    private volatile Duration delay = Duration.ZERO;
    private @Nullable HttpsServer server; // Guarded by this; null while cut.
    private final int port;

    private FaultyApi(LocalCluster cluster) throws IOException {
        this.cluster = cluster;
        this.upstream = new Upstream(cluster.apiServer(), cluster.caCertificatePem());
        this.caFile = Files.writeString(Files.createTempFile("faulty-api-", ".pem"), certificate.certificatePem());
        this.server = listenSomewhere();
        this.port = server.getAddress().getPort();
    }

    /** Starts a proxy on loopback; it passes everything on until told otherwise. */
    public static FaultyApi before(LocalCluster cluster) {
        try {
            return new FaultyApi(cluster);
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy before the API server does not start: " + e.getMessage(), e);
        }
    }

    /** Stays the same over {@link #cut} and {@link #restore}. */
    public URI uri() {
        return URI.create("https://127.0.0.1:" + port);
    }

    /** The certificate to trust, PEM; removed by {@link #close}. */
    public Path caFile() {
        return caFile;
    }

    /** The certificate to trust. */
    public String caCertificatePem() {
        return certificate.certificatePem();
    }

    /** How to reach the API server through this proxy with all rights. */
    public Config config() {
        return configFor(cluster.adminToken());
    }

    /** How to reach the API server through this proxy with a bearer token. */
    public Config configFor(String bearerToken) {
        return LocalCluster.clientConfig(uri(), caCertificatePem(), bearerToken);
    }

    /** A whole kubeconfig file that leads through this proxy. */
    public String kubeconfigYaml(String bearerToken) {
        return LocalCluster.kubeconfig(uri(), caCertificatePem(), bearerToken);
    }

    /** From now on each call waits this long before it is passed on; zero ends that. */
    public void delay(Duration duration) {
        delay = duration;
    }

    /** The next calls that match are answered with this status and a Kubernetes Status body, and do not reach the API server. */
    public void answer(Predicate<Call> which, int status, int times) {
        answers.add(new Answer(which, status, times));
    }

    /** Drops all connections, watches included, and refuses new ones until {@link #restore}. */
    public synchronized void cut() {
        if (server != null) {
            server.stop(0);
            server = null;
            upstream.abortAll();
        }
    }

    /** Listens again, on the same port. */
    public synchronized void restore() {
        if (server == null) {
            try {
                server = listen(port);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot listen on port " + port + " again: " + e.getMessage(), e);
            }
        }
    }

    /** All calls that were answered since the start or the last {@link #forgetCalls}, oldest first. */
    public List<Call> calls() {
        return List.copyOf(calls);
    }

    /** Begins a new record. */
    public void forgetCalls() {
        calls.clear();
    }

    /** Removes all planned answers and the delay. */
    public void behave() {
        answers.clear();
        delay = Duration.ZERO;
    }

    @Override
    public void close() {
        cut();
        upstream.close();
        try {
            Files.deleteIfExists(caFile);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpsServer listenSomewhere() throws IOException {
        var refusals = new ArrayList<String>();
        for (var attempt = 0; attempt < 20; attempt++) {
            try {
                return listen(ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT));
            } catch (BindException e) {
                refusals.add(String.valueOf(e.getMessage()));
            }
        }
        throw new BindException("no free port between %d and %d: %s".formatted(LOWEST_PORT, HIGHEST_PORT, refusals));
    }

    private HttpsServer listen(int onPort) throws IOException {
        var listening = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort), 0);
        listening.setHttpsConfigurator(new HttpsConfigurator(certificate.serverContext()));
        listening.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        listening.createContext("/", this::handle);
        listening.start();
        return listening;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestHeaders().containsKey("Upgrade")) {
                declineUpgrade(exchange);
                return;
            }
            var authorization = exchange.getRequestHeaders().getFirst("Authorization");
            var user = BearerUser.of(authorization, cluster.adminToken());
            var accept = exchange.getRequestHeaders().getFirst("Accept");
            var call = Call.of(exchange.getRequestMethod(), exchange.getRequestURI(), user)
                    .withAccept(accept == null ? "" : accept);
            waitAsToldTo();
            var planned = answers.stream().filter(answer -> answer.takes(call)).findFirst();
            if (planned.isPresent()) {
                calls.add(call.withStatus(planned.get().status()));
                planned.get().write(exchange);
            } else {
                upstream.pass(exchange, status -> calls.add(call.withStatus(status)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a call was passed on", e);
        }
    }

    /** A plain 200 sends the Kubernetes client from a watch over WebSocket to the same watch over HTTP. */
    private static void declineUpgrade(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, -1);
    }

    private void waitAsToldTo() throws InterruptedException {
        var now = delay;
        if (now.isPositive()) {
            Thread.sleep(now);
        }
    }
}
