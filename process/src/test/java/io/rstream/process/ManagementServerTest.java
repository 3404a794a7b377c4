package io.rstream.process;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ManagementServerTest {

    private final Readiness readiness = new Readiness();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpClient client = HttpClient.newHttpClient();
    private ManagementServer server;

    @BeforeEach
    void start() throws IOException {
        server = ManagementServer.start(
                new BindAddress("127.0.0.1", 0),
                Map.of(
                        "/healthz", ManagementServer.healthz(),
                        "/readyz", ManagementServer.readyz(readiness::ready),
                        "/metrics", ManagementServer.metrics(registry)));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void answersLivenessAlways() throws Exception {
        HttpResponse<String> answer = send("GET", "/healthz");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("ok\n");
    }

    @Test
    void answersReadinessByItsChecks() throws Exception {
        readiness.set("tunnel", false, "connecting");
        HttpResponse<String> before = send("GET", "/readyz");

        readiness.set("tunnel", true, "online");

        assertThat(before.statusCode()).isEqualTo(503);
        assertThat(before.body()).isEqualTo("not ready\n");
        assertThat(send("GET", "/readyz").body()).isEqualTo("ok\n");
        assertThat(readiness.explain()).isEqualTo("tunnel: online");
    }

    @Test
    void isNotReadyWithoutAnyCheck() {
        assertThat(new Readiness().ready()).isFalse();
    }

    @Test
    void showsMetrics() throws Exception {
        registry.counter("shown.total").increment();

        HttpResponse<String> answer = send("GET", "/metrics");

        assertThat(answer.body()).contains("shown_total 1.0");
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain; version=0.0.4");
    }

    @Test
    void refusesOtherPathsAndMethods() throws Exception {
        assertThat(send("GET", "/healthz/more").statusCode()).isEqualTo(404);
        assertThat(send("POST", "/healthz").statusCode()).isEqualTo(405);
        assertThat(send("HEAD", "/healthz").body()).isEmpty();
    }

    @Test
    void namesTheAddressThatIsInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            BindAddress address = new BindAddress("127.0.0.1", taken.getLocalPort());

            assertThatThrownBy(() -> ManagementServer.start(address, Map.of()))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("cannot listen on " + address);
        }
    }

    @Test
    void cutsAClientThatSendsItsRequestTooSlowly() throws Exception {
        try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            slow.setSoTimeout(200);
            slow.getOutputStream().write("GET /healthz HTTP/1.1\r\nX-Slow: ".getBytes(US_ASCII));

            await().atMost(Duration.ofSeconds(30)).until(() -> isCutAfterOneMoreByte(slow));

            assertThat(send("GET", "/healthz").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void boundsItsConnectionsUnlessTheCommandLineSaysOtherwise() {
        assertThat(List.of(
                        "sun.net.httpserver.maxReqTime",
                        "sun.net.httpserver.maxRspTime",
                        "sun.net.httpserver.idleInterval",
                        "sun.net.httpserver.maxIdleConnections",
                        "jdk.httpserver.maxConnections"))
                .allSatisfy(property -> assertThat(Integer.getInteger(property)).isPositive());
    }

    private static boolean isCutAfterOneMoreByte(Socket slow) {
        try {
            slow.getOutputStream().write('x');
            return slow.getInputStream().read() < 0;
        } catch (SocketTimeoutException stillOpen) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private HttpResponse<String> send(String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
