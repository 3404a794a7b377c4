package io.rstream.e2e.install;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The two servers behind the Services of {@code config/samples}: one HTTP answer and one TCP echo, on virtual threads. */
public final class DemoServices implements AutoCloseable {

    /** What the HTTP server answers to GET. */
    public static final String GREETING = "Hello from rstream-demo\n";

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer http;
    private final ServerSocket echo;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    private DemoServices(HttpServer http, ServerSocket echo) {
        this.http = http;
        this.echo = echo;
    }

    /** Listens on the given addresses and ports. */
    public static DemoServices start(InetSocketAddress httpAddress, InetSocketAddress echoAddress) throws IOException {
        var http = HttpServer.create(httpAddress, 0);
        ServerSocket echo;
        try {
            echo = listen(echoAddress.getAddress(), echoAddress.getPort());
        } catch (IOException e) {
            http.stop(0);
            throw e;
        }
        var services = new DemoServices(http, echo);
        http.setExecutor(services.threads);
        http.createContext("/", DemoServices::greet);
        http.start();
        services.threads.execute(services::acceptAll);
        return services;
    }

    @Override
    public void close() throws IOException {
        http.stop(0);
        echo.close();
        for (var connection : connections) {
            connection.close();
        }
        threads.shutdownNow();
    }

    private static ServerSocket listen(InetAddress address, int port) throws IOException {
        return new ServerSocket(port, 0, address);
    }

    private static void greet(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            var body = GREETING.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void acceptAll() {
        try {
            while (!echo.isClosed()) {
                var connection = echo.accept();
                connections.add(connection);
                threads.execute(() -> echo(connection));
            }
        } catch (IOException _) {
            // Closed: there is nobody left to echo for.
        }
    }

    private void echo(Socket connection) {
        try (connection) {
            connection.getInputStream().transferTo(connection.getOutputStream());
            connection.shutdownOutput();
        } catch (IOException _) {
            // The caller went away, as callers do.
        } finally {
            connections.remove(connection);
        }
    }
}
