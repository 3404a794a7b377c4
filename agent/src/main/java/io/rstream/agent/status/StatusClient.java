package io.rstream.agent.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rstream.process.Durations;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The two calls to the Kubernetes API: read the tunnel object, apply to its status. Blocks; used by one thread at a time. */
public final class StatusClient implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CALL_LIMIT = Duration.ofSeconds(10);
    /** More than etcd can hold in one object. */
    private static final long MAXIMUM_BODY = 4L << 20;

    private final URI object;
    private final ServiceAccount account;
    private final String namespace;
    private final String name;
    private final Duration limit;

    private byte[] trusted = {};
    private @Nullable HttpClient client;

    private StatusClient(URI object, ServiceAccount account, String namespace, String name, Duration limit) {
        this.object = object;
        this.account = account;
        this.namespace = namespace;
        this.name = name;
        this.limit = limit;
    }

    /**
     * A client for one tunnel object.
     *
     * @param apiServer {@code https://host:port}
     * @param directory files {@code token} and {@code ca.crt} of the service account
     * @throws IOException when a file is not there
     */
    public static StatusClient of(URI apiServer, Path directory, String namespace, String name) throws IOException {
        return of(apiServer, directory, namespace, name, CALL_LIMIT);
    }

    /** As above; {@code limit} is for one whole call, from connecting to the last byte of the answer. */
    static StatusClient of(URI apiServer, Path directory, String namespace, String name, Duration limit)
            throws IOException {
        for (String file : new String[] {"token", "ca.crt"}) {
            if (!Files.isReadable(directory.resolve(file))) {
                throw new IOException(
                        "%s cannot be read; mount the service account token".formatted(directory.resolve(file)));
            }
        }
        URI object = apiServer.resolve(
                "/apis/%s/namespaces/%s/rstreamtunnels/%s".formatted(TunnelObject.API_VERSION, namespace, name));
        return new StatusClient(object, new ServiceAccount(directory), namespace, name, limit);
    }

    /** The object as it is now. */
    TunnelObject get() throws IOException, InterruptedException, StatusCallException {
        return object(call(request(object).GET()));
    }

    /**
     * Makes the object say this, if it has not changed since it was read.
     *
     * @param read the object as it was read
     * @param fieldManager whose fields are written
     * @param saying everything that the field manager says; empty to withdraw it
     * @return the object as it is then
     */
    TunnelObject apply(TunnelObject read, String fieldManager, ObjectNode saying)
            throws IOException, InterruptedException, StatusCallException {
        URI status = URI.create(object + "/status?fieldManager=" + fieldManager + "&force=true");
        String patch = read.patch(namespace, name, saying).toString();
        return object(call(request(status)
                .header("Content-Type", "application/apply-patch+yaml")
                .method("PATCH", BodyPublishers.ofString(patch))));
    }

    private static TunnelObject object(HttpResponse<String> response) throws IOException {
        try {
            return new TunnelObject(JSON.readTree(response.body()));
        } catch (JsonProcessingException e) {
            throw new IOException("API server answered with something else than JSON", e);
        }
    }

    private HttpRequest.Builder request(URI uri) throws IOException {
        return HttpRequest.newBuilder(uri)
                .header("Accept", "application/json")
                .header("User-Agent", "rstream-agent")
                .header("Authorization", "Bearer " + account.token().reveal());
    }

    private HttpResponse<String> call(HttpRequest.Builder request)
            throws IOException, InterruptedException, StatusCallException {
        HttpResponse<String> response = answer(request.build());
        if (response.statusCode() / 100 != 2) {
            throw new StatusCallException(response.statusCode(), message(response.body()));
        }
        return response;
    }

    /** The JDK's own time limit ends with the headers of the answer, so the whole exchange is waited for here. */
    private HttpResponse<String> answer(HttpRequest request) throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> answer =
                client().sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MAXIMUM_BODY));
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw new IOException("API server did not answer within " + Durations.format(limit));
        } catch (ExecutionException e) {
            throw new IOException("API server could not be called", e.getCause());
        } finally {
            answer.cancel(true);
        }
    }

    /** The message of a Kubernetes Status object. */
    private static String message(String body) {
        try {
            JsonNode status = JSON.readTree(body);
            return status == null ? "" : status.path("message").asText();
        } catch (JsonProcessingException _) {
            return "";
        }
    }

    private HttpClient client() throws IOException {
        byte[] certificates = account.certificates();
        HttpClient present = client;
        if (present != null && Arrays.equals(certificates, trusted)) {
            return present;
        }
        close();
        Executor virtualThreads = task -> Thread.ofVirtual().name("status-call").start(task);
        try {
            HttpClient fresh = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(limit)
                    .executor(virtualThreads)
                    .sslContext(ServiceAccount.trusting(certificates))
                    .build();
            client = fresh;
            trusted = certificates;
            return fresh;
        } catch (GeneralSecurityException e) {
            throw new IOException("ca.crt of the service account is of no use: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (client != null) {
            client.shutdownNow();
            client = null;
        }
    }
}
