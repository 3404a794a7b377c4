package io.rstream.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rstream.agent.fake.FakeEngine;
import io.rstream.agent.fake.FakeKubernetesApi;
import io.rstream.agent.fake.FakeService;
import io.rstream.agent.fake.TestCertificates;
import io.rstream.protocol.Message;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The agent as a process of its own: flags, exit codes, log lines, health, signals. */
class AgentMainIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String SMALLEST = """
            connection: {engine: "localhost:1"}
            tunnel: {name: shop-web}
            target: {host: 127.0.0.1, port: "1"}
            """;

    @TempDir
    private Path directory;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void killWhatIsLeft() {
        started.forEach(Process::destroyForcibly);
    }

    private Path config(String yaml) throws IOException {
        return Files.writeString(directory.resolve("config.yaml"), yaml);
    }

    private Process agent(Map<String, String> environment, String... flags) throws IOException {
        // A build in the background ignores SIGINT, and so would its children.
        List<String> command = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                AgentMain.class.getName()));
        command.addAll(List.of(flags));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("KUBERNETES_") || name.startsWith("RSTREAM_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private static int exit(Process process) throws InterruptedException {
        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private List<String> out() throws IOException {
        return Files.readAllLines(directory.resolve("out"));
    }

    private List<String> err() throws IOException {
        return Files.readAllLines(directory.resolve("err"));
    }

    private JsonNode logged(String message) throws IOException {
        for (String line : out()) {
            JsonNode record = JSON.readTree(line);
            if (record.path("msg").asText().equals(message)) {
                return record;
            }
        }
        return JSON.createObjectNode();
    }

    private JsonNode awaitLogged(String message) throws IOException {
        await().atMost(LIMIT).until(() -> !logged(message).isEmpty());
        return logged(message);
    }

    @ParameterizedTest
    @CsvSource({
        "--speed=1, Unknown option",
        "--health-bind-address=nowhere, health-bind-address",
        "surplus, Unmatched argument"
    })
    void aWrongFlagEndsTheProcessWithTwoAndOneLine(String flag, String text) throws Exception {
        Process process = agent(Map.of(), flag);

        assertThat(exit(process)).isEqualTo(2);

        assertThat(err())
                .singleElement()
                .asString()
                .startsWith("rstream-agent: ")
                .contains(text);
        assertThat(out()).isEmpty();
    }

    @Test
    void explainsItself() throws Exception {
        assertThat(exit(agent(Map.of(), "--help"))).isZero();
        assertThat(out()).anySatisfy(line -> assertThat(line).contains("--service-account-directory"));

        assertThat(exit(agent(Map.of(), "--version"))).isZero();
        assertThat(out()).singleElement().asString().startsWith("rstream-agent ");
    }

    @Tag("parity-99")
    @Tag("parity-100")
    @Test
    void anUnusableFileEndsTheProcessWithOneAndOneLine() throws Exception {
        Path file = config(SMALLEST + "speed: 1\n");

        Process process = agent(Map.of(), "-config", file.toString());

        assertThat(exit(process)).isEqualTo(1);
        assertThat(out()).hasSize(1);
        JsonNode record = logged("Failed to load configuration");
        assertThat(record.path("level").asText()).isEqualTo("ERROR");
        assertThat(record.path("error").asText()).startsWith("decode config: unknown key speed; known keys there: ");
        assertThat(err()).isEmpty();
    }

    @Tag("parity-101")
    @Test
    void unusablePausesEndTheProcessWithOne() throws Exception {
        Path file = config(SMALLEST + "retry: {initial: 0s}\n");

        assertThat(exit(agent(Map.of(), "--config=" + file))).isEqualTo(1);

        assertThat(logged("Failed to load configuration").path("error").asText())
                .isEqualTo("retry.initial must be greater than zero");
    }

    @Test
    void kubernetesWithoutAPodEndsTheProcessWithOne() throws Exception {
        Path file = config(SMALLEST + "kubernetes: {enabled: true, namespace: shop, tunnelName: web}\n");

        assertThat(exit(agent(Map.of(), "-config=" + file))).isEqualTo(1);

        assertThat(logged("Failed to create Kubernetes client").path("error").asText())
                .startsWith("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set;");
    }

    @Test
    void aHealthPortInUseEndsTheProcessWithOne() throws Exception {
        Path file = config(SMALLEST);
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Process process = agent(
                    Map.of("RSTREAM_AUTHENTICATION_TOKEN", "t"),
                    "--config=" + file,
                    "--health-bind-address=127.0.0.1:" + taken.getLocalPort());

            assertThat(exit(process)).isEqualTo(1);

            assertThat(logged("agent cannot start: health server").path("error").asText())
                    .contains("127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Tag("parity-104")
    @Tag("parity-109")
    @Tag("parity-103")
    @Test
    void keepsTryingWithoutATokenAndSaysSo() throws Exception {
        Process process = agent(Map.of(), "--config=" + config(SMALLEST), "--health-bind-address=");

        JsonNode record = awaitLogged("Tunnel disconnected; retrying");
        process.destroy();

        assertThat(exit(process)).isZero();
        assertThat(record.path("error").asText())
                .isEqualTo("RSTREAM_AUTHENTICATION_TOKEN is required when mTLS is not configured");
        assertThat(record.path("retry_in").asText()).matches("[0-9.]+s");
        assertThat(record.path("reason").asText()).isEqualTo("permanent");
        assertThat(record.path("name").asText()).isEqualTo("shop-web");
        assertThat(logged("Starting health server")).isEmpty();
    }

    @Tag("parity-111")
    @Test
    void endsWithZeroAfterAnInterrupt() throws Exception {
        Process process = agent(Map.of(), "--config=" + config(SMALLEST), "--health-bind-address=");
        awaitLogged("Tunnel disconnected; retrying");

        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
                .start()
                .waitFor();

        assertThat(exit(process)).isZero();
        assertThat(logged("Tunnel closed").path("reason").asText()).isEqualTo("orderly");
    }

    @Tag("parity-102")
    @Tag("parity-108")
    @Tag("parity-110")
    @Tag("parity-111")
    @Tag("parity-150")
    @Test
    void servesATunnelReportsItAndEndsOnASignal() throws Exception {
        TestCertificates certificates = TestCertificates.in(directory);
        try (FakeEngine engine = FakeEngine.start(certificates);
                FakeKubernetesApi api = FakeKubernetesApi.start(certificates);
                FakeService service = FakeService.echo()) {
            engine.acceptedToken = "marker-token";
            engine.answersTunnel = false;
            Path account = FakeKubernetesApi.serviceAccount(directory, certificates, "marker-account");
            Path file = config("""
                    connection: {engine: "%s"}
                    tunnel: {name: shop-web, publish: true, protocol: http, type: bytestream}
                    target: {host: web.localhost, port: "%d", protocol: TCP}
                    kubernetes: {enabled: true, namespace: elsewhere, tunnelName: web, podNameEnv: POD, podNamespaceEnv: POD_NS}
                    """.formatted(engine.address(), service.port()));

            Process process = agent(
                    Map.of(
                            "RSTREAM_AUTHENTICATION_TOKEN", " marker-token ",
                            "SSL_CERT_FILE", certificates.authorityFile().toString(),
                            "KUBERNETES_SERVICE_HOST", "127.0.0.1",
                            "KUBERNETES_SERVICE_PORT", String.valueOf(api.uri().getPort()),
                            "POD", "web-1",
                            "POD_NS", "shop"),
                    "--config=" + file,
                    "--health-bind-address=127.0.0.1:0",
                    "--service-account-directory=" + account);

            int health = awaitLogged("Starting health server").path("port").asInt();
            await().atMost(LIMIT)
                    .until(() -> engine.received.stream().anyMatch(Message.OpenTunnelRequest.class::isInstance));
            assertThat(get(health, "/healthz")).isEqualTo("200 ok\n");
            assertThat(get(health, "/readyz")).isEqualTo("503 not ready\n");
            engine.answersTunnel = true;
            engine.cutControl();

            JsonNode online = awaitLogged("Tunnel online");
            assertThat(get(health, "/readyz")).isEqualTo("200 ok\n");
            assertThat(online.path("level").asText()).isEqualTo("INFO");
            assertThat(online.path("time").asText()).isNotEmpty();
            assertThat(online.path("tunnel_id").asText()).isEqualTo(FakeEngine.TUNNEL_ID);
            assertThat(online.path("forwarding_address").asText()).isEqualTo("https://web.t.example.com");
            assertThat(online.path("target").asText()).isEqualTo("web.localhost:" + service.port());
            assertThat(online.path("namespace").asText()).isEqualTo("shop");
            await().atMost(LIMIT)
                    .untilAsserted(
                            () -> assertThat(api.condition().path("message").asText())
                                    .isEqualTo("Tunnel is online from agent pod web-1."));
            try (Socket caller = engine.dial()) {
                caller.getOutputStream().write('x');
                assertThat(caller.getInputStream().read()).isEqualTo('x');
            }
            String labels = "{tunnel_name=\"web\",tunnel_namespace=\"shop\"}";
            assertThat(get(health, "/metrics"))
                    .contains("rstream_agent_streams_opened_total" + labels + " 1.0\n")
                    .contains("rstream_agent_tunnel_online" + labels + " 1.0\n")
                    .contains("rstream_agent_reconnects_total" + labels + " 1.0\n");

            process.destroy();

            assertThat(exit(process)).isZero();
            assertThat(api.condition().path("message").asText()).isEqualTo("Tunnel agent is shutting down.");
            assertThat(logged("Tunnel closed").path("streams").asInt()).isEqualTo(1);
            assertThat(String.join("\n", out())).doesNotContain("marker-");
            assertThat(err()).isEmpty();
        }
    }

    private static String get(int port, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .build(),
                    BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        }
    }
}
