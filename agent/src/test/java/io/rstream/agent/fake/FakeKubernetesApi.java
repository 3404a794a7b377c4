package io.rstream.agent.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Holds one tunnel object over HTTPS; an apply to what was read last replaces what the field manager owns. */
public final class FakeKubernetesApi implements AutoCloseable {
    public static final String PATH = "/apis/tunnels.rstream.io/v1alpha1/namespaces/shop/rstreamtunnels/web";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** One request as it came. */
    public record Call(String method, URI uri, String contentType, String authorization, String body) {}

    public final List<Call> calls = new CopyOnWriteArrayList<>();

    /** Answer in place of the usual one, or 0. */
    public volatile int answer;

    /** Whether answers stop in the middle of their bodies. */
    public volatile boolean stalls;

    private final CountDownLatch closed = new CountDownLatch(1);

    private final HttpsServer server;
    private ObjectNode object;

    private FakeKubernetesApi(TestCertificates certificates) throws IOException {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        server.setHttpsConfigurator(new HttpsConfigurator(certificates.serverContext()));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        object = (ObjectNode) JSON.readTree("""
                {"metadata": {"name": "web", "namespace": "shop", "generation": 3, "resourceVersion": "10"},
                 "status": {"observedGeneration": 3, "agentConfigHash": "hash-3", "conditions": [{"type": "Accepted", "status": "True"}]}}""");
        server.start();
    }

    public static FakeKubernetesApi start(TestCertificates certificates) throws IOException {
        return new FakeKubernetesApi(certificates);
    }

    public URI uri() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Writes the files of a service account. */
    public static Path serviceAccount(Path directory, TestCertificates certificates, String token) throws IOException {
        Path account = Files.createDirectories(directory.resolve("serviceaccount"));
        Files.copy(certificates.authorityFile(), account.resolve("ca.crt"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(account.resolve("token"), token);
        return account;
    }

    public List<Call> calls(String method) {
        return calls.stream().filter(call -> call.method().equals(method)).toList();
    }

    public synchronized JsonNode status() {
        return object.path("status").deepCopy();
    }

    public synchronized JsonNode condition() {
        for (JsonNode condition : object.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("TunnelReady")) {
                return condition.deepCopy();
            }
        }
        return JSON.createObjectNode();
    }

    /** What somebody else might do to the object. */
    public synchronized void change(Consumer<ObjectNode> edit) {
        edit.accept(object);
        nextVersion();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            calls.add(new Call(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI(),
                    exchange.getRequestHeaders().getFirst("Content-Type"),
                    exchange.getRequestHeaders().getFirst("Authorization"),
                    body));
            if (stalls) {
                stall(exchange);
            } else if (answer != 0) {
                send(exchange, answer, "{\"message\": \"the fake API says no\"}");
            } else if (exchange.getRequestMethod().equals("GET")) {
                send(exchange, 200, text());
            } else {
                boolean applied = apply(body, exchange.getRequestURI().getQuery());
                send(
                        exchange,
                        applied ? 200 : 409,
                        applied ? text() : "{\"message\": \"the object has been modified\"}");
            }
        }
    }

    private synchronized String text() {
        return object.toString();
    }

    private synchronized boolean apply(String body, String query) throws IOException {
        JsonNode patch = JSON.readTree(body);
        if (!patch.at("/metadata/resourceVersion").equals(object.at("/metadata/resourceVersion"))) {
            return false;
        }
        JsonNode applied = patch.path("status");
        ObjectNode status = object.withObject("/status");
        List<String> owned = query.contains("fieldManager=rstream-agent-next")
                ? List.of("nextAgent")
                : List.of("tunnelID", "forwardingAddress", "agent");
        status.remove(owned);
        for (String field : owned) {
            if (applied.has(field)) {
                status.set(field, applied.get(field));
            }
        }
        if (applied.has("conditions")) {
            var conditions = status.withArray("/conditions");
            for (int i = conditions.size() - 1; i >= 0; i--) {
                if (conditions.get(i).path("type").asText().equals("TunnelReady")) {
                    conditions.remove(i);
                }
            }
            conditions.add(applied.path("conditions").get(0));
        }
        nextVersion();
        return true;
    }

    private void nextVersion() {
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put(
                "resourceVersion",
                String.valueOf(metadata.path("resourceVersion").asInt() + 1));
    }

    private void stall(HttpExchange exchange) throws IOException {
        byte[] half = text().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, 2L * half.length);
        exchange.getResponseBody().write(half);
        exchange.getResponseBody().flush();
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }
}
