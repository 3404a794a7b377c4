package io.rstream.operator.controlplane;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A small HTTP server in the place of a control plane. Keeps the requests that it got and answers as it is told. */
public final class FakeControlPlane implements AutoCloseable {

    /** A project of one region. */
    public static final String PROJECT = """
            {"id": "prj-1", "endpoint": "project-42", "domain": "edge.example.com", "enginePort": 8443, "routing": "regional"}""";

    /** A request; header names in lower case. */
    public record Request(String method, String target, Map<String, List<String>> headers) {

        /** The only value of a header, or null. */
        public String header(String name) {
            var values = headers.get(name);
            return values == null ? null : String.join(" | ", values);
        }
    }

    /** An answer. */
    public record Answer(int status, String body, Map<String, String> headers) {

        /** An answer without headers of its own. */
        public static Answer of(int status, String body) {
            return new Answer(status, body, Map.of());
        }
    }

    public final List<Request> requests = new CopyOnWriteArrayList<>();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile Function<Request, Answer> behaviour = _ -> Answer.of(200, PROJECT);

    private FakeControlPlane(HttpServer server) {
        this.server = server;
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** Listens with plain HTTP. */
    public static FakeControlPlane start() throws IOException {
        return new FakeControlPlane(HttpServer.create(address(), 0));
    }

    /** Listens with HTTPS and a fresh certificate for localhost, which is written to {@code ca.pem} in the folder. */
    public static FakeControlPlane startWithTls(Path folder)
            throws IOException, GeneralSecurityException, InterruptedException {
        var file = folder.resolve("server.p12");
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        var made = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        "changeit",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=control plane",
                        "-ext",
                        "san=dns:localhost",
                        "-validity",
                        "2")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start()
                .waitFor();
        if (made != 0) {
            throw new IllegalStateException("keytool ended with " + made);
        }
        var store = KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, "changeit".toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        Files.writeString(
                folder.resolve("ca.pem"),
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(store.getCertificate("server").getEncoded())
                        + "\n-----END CERTIFICATE-----\n");
        var server = HttpsServer.create(address(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new FakeControlPlane(server);
    }

    private static InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    public void behave(Function<Request, Answer> next) {
        behaviour = next;
    }

    public void answer(int status, String body) {
        behave(_ -> Answer.of(status, body));
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String url() {
        return (server instanceof HttpsServer ? "https://localhost:" : "http://127.0.0.1:") + port();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var headers = new java.util.HashMap<String, List<String>>();
            exchange.getRequestHeaders()
                    .forEach((name, values) ->
                            headers.put(name.toLowerCase(java.util.Locale.ROOT), List.copyOf(values)));
            var request = new Request(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), Map.copyOf(headers));
            requests.add(request);
            var answer = behaviour.apply(request);
            var body = answer.body().getBytes(StandardCharsets.UTF_8);
            answer.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        server.stop(0);
    }
}
