package io.rstream.process;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /healthz}, {@code /readyz} and {@code /metrics} over plain HTTP on the JDK's own server, apart from any
 * data path. Only GET and HEAD of the exact paths are answered.
 */
public final class ManagementServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ManagementServer.class);
    private static final int STOP_SECONDS = 1;
    private static final int BACKLOG = 16;

    // The JDK's server has no API for its limits: it reads these properties once, when its first server is created in
    // the
    // process. What the command line sets wins.
    static {
        // A request, headers included, has to arrive within this time (seconds; operator reference, section 4.3).
        limit("sun.net.httpserver.maxReqTime", 5);
        // So has the answer: a reader that stalls does not hold its thread for ever (seconds).
        limit("sun.net.httpserver.maxRspTime", 30);
        // Far more than one kubelet and one Prometheus need; further connections are closed at once.
        limit("jdk.httpserver.maxConnections", 128);
        // Connections that wait for their next request (seconds, then connections).
        limit("sun.net.httpserver.idleInterval", 30);
        limit("sun.net.httpserver.maxIdleConnections", 32);
    }

    /** What one path answers; called for each request, from any thread. */
    @FunctionalInterface
    public interface Endpoint {

        /** The answer at this moment. */
        Response get();
    }

    /**
     * One answer.
     *
     * @param status HTTP status code
     * @param contentType value of Content-Type
     * @param body the whole body
     */
    public record Response(int status, String contentType, String body) {

        /** A text/plain answer. */
        public static Response text(int status, String body) {
            return new Response(status, "text/plain; charset=utf-8", body);
        }
    }

    private final HttpServer server;
    private final ExecutorService executor;

    private ManagementServer(HttpServer server, ExecutorService executor) {
        this.server = server;
        this.executor = executor;
    }

    /**
     * Starts listening.
     *
     * @param address where; port 0 lets the system choose
     * @param endpoints path to endpoint, such as {@code /healthz}
     * @throws IOException when the address cannot be bound; the message names the address
     */
    public static ManagementServer start(BindAddress address, Map<String, Endpoint> endpoints) throws IOException {
        HttpServer server;
        try {
            server = HttpServer.create(address.toSocketAddress(), BACKLOG);
        } catch (IOException cause) {
            throw new IOException("cannot listen on " + address + ": " + cause.getMessage(), cause);
        }
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(executor);
        server.createContext("/", exchange -> answer(exchange, endpoints));
        server.start();
        return new ManagementServer(server, executor);
    }

    /** The port that is really in use. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(STOP_SECONDS);
        executor.shutdownNow();
    }

    private static void limit(String property, int value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, String.valueOf(value));
        }
    }

    /** Liveness: 200 as long as the process answers at all. */
    public static Endpoint healthz() {
        return () -> Response.text(200, "ok\n");
    }

    /** Readiness: 200 {@code ok} or 503 {@code not ready}. */
    public static Endpoint readyz(BooleanSupplier ready) {
        return () -> ready.getAsBoolean() ? Response.text(200, "ok\n") : Response.text(503, "not ready\n");
    }

    /** The Prometheus text exposition of a registry. */
    public static Endpoint metrics(PrometheusMeterRegistry registry) {
        return () -> new Response(200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape());
    }

    private static void answer(HttpExchange exchange, Map<String, Endpoint> endpoints) throws IOException {
        try (exchange) {
            Endpoint endpoint = endpoints.get(exchange.getRequestURI().getPath());
            String method = exchange.getRequestMethod();
            if (endpoint == null) {
                send(exchange, Response.text(404, "not found\n"));
            } else if (method.equals("GET") || method.equals("HEAD")) {
                send(exchange, endpoint.get());
            } else {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, Response.text(405, "method not allowed\n"));
            }
        } catch (RuntimeException failure) {
            log.atError().setCause(failure).log("Management endpoint failed");
            throw failure;
        }
    }

    private static void send(HttpExchange exchange, Response response) throws IOException {
        byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", response.contentType());
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(response.status(), -1);
        } else {
            exchange.sendResponseHeaders(response.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
