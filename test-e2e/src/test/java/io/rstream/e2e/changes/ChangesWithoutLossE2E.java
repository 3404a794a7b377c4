package io.rstream.e2e.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.e2e.install.Installation;
import io.rstream.e2e.install.Tenant;
import io.rstream.e2e.install.Trusting;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.e2e.process.EngineSettings;
import io.rstream.e2e.traffic.RawBackend;
import io.rstream.e2e.traffic.RawCaller;
import io.rstream.e2e.traffic.SocketServer;
import io.rstream.process.Secret;
import io.rstream.protocol.EngineAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents are replaced, by each kind of change that replaces them, and no caller notices. */
class ChangesWithoutLossE2E {
    private static final Installation INSTALLATION = Installation.shared();
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int PORT = 8080;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private Tenant tenant;
    private Claims claims;
    private RawBackend web;

    /** One change of the set-up, as users make it. */
    private record Change(String what, Runnable action) {}

    @BeforeEach
    void start() throws Exception {
        tenant = opened(Tenant.empty(INSTALLATION, "changes"));
        claims = opened(new Claims(INSTALLATION.engine(), INSTALLATION.token()));
        tenant.secret(Tenant.CREDENTIALS, token());
        tenant.connection(INSTALLATION.engine().address(), Tenant.CREDENTIALS);
        web = backend("web");
        backend("other");
    }

    @AfterEach
    void stop() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    @Test
    void failsNoRequestWhileTenChangesReplaceTheAgent() throws Exception {
        tunnel("web", Map.of(), "");
        Set<String> present = serving("web", Set.of());
        var changes = List.of(
                new Change("label", () -> tunnel("web", Map.of("stage", "blue"), "")),
                new Change("target", () -> tunnel("other", Map.of("stage", "blue"), "")),
                new Change("secret", () -> tenant.secret(Tenant.CREDENTIALS, token())),
                new Change("image", () -> tunnel("other", Map.of("stage", "blue"), "agent:2")),
                new Change("restart", this::restart),
                new Change("label", () -> tunnel("other", Map.of("stage", "green"), "agent:2")),
                new Change("target", () -> tunnel("web", Map.of("stage", "green"), "agent:2")),
                new Change("secret", () -> tenant.secret(Tenant.CREDENTIALS, token())),
                new Change("image", () -> tunnel("web", Map.of("stage", "green"), "agent:3")),
                new Change("restart", this::restart));

        SteadyCallers.Result result;
        try (var callers = SteadyCallers.start(
                URI.create(address("web")), INSTALLATION.engine().caFile())) {
            more(callers);
            for (var change : changes) {
                change.action().run();
                present = serving(change.what(), present);
                more(callers);
            }
            result = callers.finish();
        }

        report("Ten changes of the agent under traffic: " + result.describe());
        assertThat(result.failures())
                .as(() -> "what agents and engine warned of:\n" + warnings())
                .isEmpty();
        assertThat(result.count()).isGreaterThan(2_000);
    }

    @Test
    void letsADownloadAndAWebSocketAndATcpConnectionFinish() throws Exception {
        var goOn = new CountDownLatch(1);
        web.on("download", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
            assertThat(goOn.await(3, TimeUnit.MINUTES)).isTrue();
            exchange.send("rest");
        });
        web.on("upgrade", exchange -> {
            exchange.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
            exchange.in().transferTo(exchange.out());
            exchange.close();
        });
        opened(SocketServer.start(
                new InetSocketAddress(INSTALLATION.services().publish(tenant.namespace(), "shell"), PORT),
                connection -> connection.getInputStream().transferTo(connection.getOutputStream())));
        tenant.service("shell", "tcp", PORT);
        tunnel("web", Map.of(), "");
        tcpTunnel(Map.of());
        var webClaims = serving("web", Set.of());
        var shellClaims = serving("shell", Set.of());
        var trust = Trusting.only(INSTALLATION.engine().caFile());
        var uri = URI.create(address("web"));

        try (var download = RawCaller.tls(uri.getPort(), trust, uri.getHost());
                var upgraded = RawCaller.tls(uri.getPort(), trust, uri.getHost());
                var shell =
                        RawCaller.plain(EngineAddress.parse(address("shell")).port())) {
            download.send(
                    "GET /download HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(uri.getAuthority()));
            assertThat(download.readHead().startLine()).contains("200");
            assertThat(download.readText(4)).isEqualTo("half");
            upgraded.send("GET /upgrade HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"
                    .formatted(uri.getAuthority()));
            assertThat(upgraded.readHead().startLine()).contains("101");
            echo(upgraded, "before");
            echo(shell, "before");

            tunnel("web", Map.of("stage", "blue"), "");
            tcpTunnel(Map.of("stage", "blue"));
            serving("web", webClaims);
            serving("shell", shellClaims);
            goOn.countDown();
            echo(upgraded, "after");
            echo(shell, "after");
            shell.shutdownOutput();
            upgraded.shutdownOutput();

            assertThat(download.readText(4)).isEqualTo("rest");
            assertThat(shell.readToEnd()).isEmpty();
            assertThat(upgraded.readToEnd()).isEmpty();
        }
    }

    @Test
    @Tag("parity-76")
    void replacesTheOldAgentFirstWhereTheEngineTakesOneAtATime(@TempDir Path folder) throws Exception {
        var strict = opened(EngineProcess.start(EngineSettings.in(folder).withLimit("claimsPerTunnel", 1)));
        INSTALLATION.trust(strict.caFile());
        tenant.secret("strict", strict.token("--subject", "changes"));
        claims = opened(new Claims(strict, strict.token()));
        tenant.connection(strict.address(), "strict");
        tunnel("web", Map.of(), "");
        var present = serving("web", Set.of());
        var modeBefore = tenant.status("web").agentReplacement();

        tunnel("web", Map.of("stage", "blue"), "");
        present = serving("label", present);
        var modeAfter = tenant.status("web").agentReplacement();
        tunnel("other", Map.of("stage", "blue"), "");
        serving("target", present);

        assertThat(modeBefore)
                .isEqualTo(
                        new AgentReplacement("RollingUpdate", strict.address().toString()));
        assertThat(modeAfter)
                .isEqualTo(new AgentReplacement("Recreate", strict.address().toString()));
        assertThat(tenant.kubectl("get", "deployments", "-o", "jsonpath={.items[*].spec.strategy.type}"))
                .isEqualTo("Recreate");
    }

    /** Waits until the engine knows one claim, and a new one, and the tunnel is ready. */
    private Set<String> serving(String tunnelOrChange, Set<String> before) {
        var tunnel = tunnelOrChange.equals("shell") ? "shell" : "web";
        var uid = INSTALLATION
                .client()
                .resources(RstreamTunnel.class)
                .inNamespace(tenant.namespace())
                .withName(tunnel)
                .get()
                .getMetadata()
                .getUid();
        List<Set<String>> found = new ArrayList<>();
        await("a new agent after: " + tunnelOrChange)
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(250))
                .untilAsserted(() -> {
                    var now = claims.of(uid);
                    assertThat(now)
                            .as("%s; pods: %s", tenant.status(tunnel), tenant.kubectl("get", "pods"))
                            .hasSize(1)
                            .noneMatch(before::contains);
                    assertThat(tenant.words(tunnel, ConditionType.READY)).startsWith("True Ready");
                    found.add(now);
                });
        return found.getLast();
    }

    /** A while in which nothing changes. */
    private static void more(SteadyCallers callers) {
        int from = callers.answered();
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(callers.answered())
                        .as("answers; failures: %s", callers.firstFailures())
                        .isGreaterThan(from + 200));
    }

    private void tunnel(String service, Map<String, String> labels, String image) {
        tenant.apply(
                """
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: web}
                spec:
                  target: {service: {name: %s, port: http}}
                  protocol: http
                  http: {version: http/1.1}
                  labels: %s
                %s""".formatted(service, json(labels), image.isEmpty() ? "" : "  agent: {image: \"" + image + "\"}\n"));
    }

    private void tcpTunnel(Map<String, String> labels) {
        tenant.apply("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: shell}
                spec:
                  target: {service: {name: shell, port: tcp}}
                  protocol: tcp
                  labels: %s
                """.formatted(json(labels)));
    }

    private void restart() {
        tenant.kubectl("rollout", "restart", "deployment/" + tenant.agentDeployment("web"));
    }

    /** Tokens that follow each other have one subject; without, they are strangers to the engine. */
    private static Secret token() {
        try {
            return INSTALLATION.engine().token("--subject", "changes");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private RawBackend backend(String service) throws IOException {
        tenant.service(service, "http", PORT);
        var address = INSTALLATION.services().publish(tenant.namespace(), service);
        var backend = opened(RawBackend.start(new InetSocketAddress(address, PORT)));
        backend.on("steady", exchange -> {
            exchange.readBody();
            exchange.respond(exchange.target());
        });
        return backend;
    }

    private String address(String tunnel) {
        var address = tenant.address(tunnel);
        if (address == null) {
            throw new IllegalStateException("tunnel " + tunnel + " has no address");
        }
        return address;
    }

    private static void echo(RawCaller caller, String text) throws IOException {
        caller.send(text);
        assertThat(caller.readText(text.length())).isEqualTo(text);
    }

    private static String json(Map<String, String> labels) {
        var text = new StringBuilder("{");
        labels.forEach((key, value) -> text.append(key).append(": ").append(value));
        return text.append('}').toString();
    }

    /** For the table in docs/reliability.md. */
    private static void report(String line) throws IOException {
        System.out.println(line);
        var file = Path.of("target", "changes-without-loss.txt");
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, line + System.lineSeparator(), StandardCharsets.UTF_8);
    }

    /** The logs go with the installation, so what they say of a failure has to be in its message. */
    private static String warnings() {
        try (var files = Files.walk(INSTALLATION.directory())) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .flatMap(ChangesWithoutLossE2E::warnings)
                    .limit(200)
                    .collect(Collectors.joining("\n"));
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }

    private static Stream<String> warnings(Path log) {
        try {
            return Files.readAllLines(log).stream()
                    .filter(line -> line.contains("WARN") || line.contains("ERROR") || line.contains("Tunnel "))
                    .map(line -> log.getFileName() + ": " + line);
        } catch (IOException unreadable) {
            return Stream.of(unreadable.toString());
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        opened.push(part);
        return part;
    }
}
