package io.rstream.testcluster;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The side of {@link FaultyApi} that talks to the real API server. */
final class Upstream implements AutoCloseable {

    /** Headers that belong to one connection (RFC 9110 section 7.6.1), or that the JDK's client sets itself. */
    private static final Set<String> NOT_PASSED_ON =
            Set.of("connection", "content-length", "expect", "host", "keep-alive", "transfer-encoding", "upgrade");

    private final URI apiServer;
    private final HttpClient client;
    private final Set<InputStream> openBodies = ConcurrentHashMap.newKeySet();

    Upstream(URI apiServer, String caCertificatePem) {
        this.apiServer = apiServer;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(trusting(caCertificatePem))
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    /** Passes the request on and the answer back as it comes; tells the status before the body. */
    void pass(HttpExchange exchange, IntConsumer answered) throws IOException, InterruptedException {
        var response = client.send(request(exchange), HttpResponse.BodyHandlers.ofInputStream());
        try (var body = response.body()) {
            openBodies.add(body);
            try {
                answered.accept(response.statusCode());
                answer(exchange, response, body);
            } finally {
                openBodies.remove(body);
            }
        }
    }

    /** Ends all answers that are still coming, such as watches. */
    void abortAll() {
        for (var body : openBodies) {
            try {
                body.close();
            } catch (IOException _) {
                // Broken already, which is what was wanted.
            }
        }
    }

    @Override
    public void close() {
        abortAll();
        client.shutdownNow();
    }

    private HttpRequest request(HttpExchange exchange) throws IOException {
        var target = URI.create(apiServer + exchange.getRequestURI().toString());
        var content = exchange.getRequestBody().readAllBytes();
        var body = content.length == 0
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(content);
        var request = HttpRequest.newBuilder(target).method(exchange.getRequestMethod(), body);
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!NOT_PASSED_ON.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    private static void answer(HttpExchange exchange, HttpResponse<InputStream> response, InputStream body)
            throws IOException {
        response.headers().map().forEach((name, values) -> {
            if (!name.startsWith(":") && !NOT_PASSED_ON.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> exchange.getResponseHeaders().add(name, value));
            }
        });
        var length = response.headers().firstValueAsLong("content-length").orElse(0);
        var empty = response.statusCode() == 204
                || response.statusCode() == 304
                || exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(response.statusCode(), empty ? -1 : length);
        if (empty) {
            return;
        }
        var buffer = new byte[16 * 1024];
        var out = exchange.getResponseBody();
        out.flush(); // A watch is answered by its head first, and its first event may be minutes away.
        for (var count = body.read(buffer); count >= 0; count = body.read(buffer)) {
            out.write(buffer, 0, count);
            out.flush();
        }
    }

    private static SSLContext trusting(String pem) {
        try (var text = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))) {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(text));
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("cannot trust the API server's certificate: " + e.getMessage(), e);
        }
    }
}
