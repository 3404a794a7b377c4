package io.rstream.e2e.scale;

import io.rstream.e2e.install.Trusting;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Calls of the API server as the administrator, without a client library between, so that the benchmark itself costs
 * little on the machine that it measures. Thread-safe.
 */
final class RawApi implements AutoCloseable {

    private static final int FIRST_ERROR = 400;
    // Below what the API server allows on one HTTP/2 connection.
    private static final int AT_ONCE = 80;

    private final URI server;
    private final String authorization;
    private final HttpClient client;
    private final Semaphore places = new Semaphore(AT_ONCE);

    RawApi(LocalCluster cluster) throws IOException, GeneralSecurityException {
        this.server = cluster.apiServer();
        this.authorization = "Bearer " + cluster.config().getOauthToken();
        this.client = HttpClient.newBuilder()
                .sslContext(Trusting.only(cluster.caCertificatePem()))
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    /** The body of an answer. */
    String get(String path) throws IOException, InterruptedException {
        return send(to(path).GET());
    }

    /** Creates an object in a collection. */
    void create(String collection, String json) throws IOException, InterruptedException {
        send(to(collection).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    /** Changes an object by a merge patch. */
    void merge(String path, String json) throws IOException, InterruptedException {
        send(to(path).header("Content-Type", "application/merge-patch+json")
                .method("PATCH", BodyPublishers.ofString(json)));
    }

    /** Reads a streaming answer line by line until the server ends it. */
    void stream(String path, String accept, Consumer<String> line) throws IOException, InterruptedException {
        var response = client.send(to(path).header("Accept", accept).GET().build(), BodyHandlers.ofLines());
        try (var lines = response.body()) {
            if (response.statusCode() >= FIRST_ERROR) {
                throw new IOException("GET %s was answered with %d".formatted(path, response.statusCode()));
            }
            lines.forEach(line);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(server.resolve(path)).header("Authorization", authorization);
    }

    private String send(HttpRequest.Builder builder) throws IOException, InterruptedException {
        HttpRequest request = builder.build();
        HttpResponse<String> response;
        places.acquire();
        try {
            response = client.send(request, BodyHandlers.ofString());
        } finally {
            places.release();
        }
        if (response.statusCode() >= FIRST_ERROR) {
            throw new IOException("%s %s was answered with %d: %s"
                    .formatted(request.method(), request.uri().getPath(), response.statusCode(), response.body()));
        }
        return response.body();
    }
}
