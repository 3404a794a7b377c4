package io.rstream.e2e.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.e2e.install.Trusting;
import io.rstream.e2e.process.AgentProcess;
import io.rstream.e2e.process.AgentSettings;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.e2e.process.EngineSettings;
import io.rstream.e2e.process.JvmFlags;
import io.rstream.process.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * One engine and two agents, an HTTP and a TCP tunnel, each in the heap of its image and under Netty's strictest leak
 * detection, and the services behind them. Shared by all test classes of a JVM; see {@link TrafficExtension}.
 */
public final class Traffic implements AutoCloseable {
    private static final Duration ONLINE = Duration.ofSeconds(90);

    private final Path folder;
    private final EngineProcess engine;
    private final AgentProcess httpAgent;
    private final AgentProcess tcpAgent;
    private final RawBackend http;
    private final SocketServer tcp;
    private final SSLContext trust;
    private final int tcpPort;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private Traffic() throws Exception {
        try {
            folder = Files.createTempDirectory("rstream-traffic");
            opened.push(this::deleteFolder);
            http = opened(RawBackend.start());
            tcp = opened(SocketServer.start(connection -> {}));
            engine = opened(EngineProcess.start(
                    EngineSettings.in(folder).withJvmFlags(JvmFlags.withLeakDetection(JvmFlags.ENGINE))));
            Secret token = engine.token();
            httpAgent = opened(agent("web", "http", http.port(), token));
            tcpAgent = opened(agent("raw", "tcp", tcp.port(), token));
            httpAgent.awaitOnline(ONLINE);
            String address = tcpAgent.awaitOnline(ONLINE);
            tcpPort = Integer.parseInt(address.replaceFirst(".*:(\\d+).*", "$1"));
            trust = Trusting.only(engine.caFile());
        } catch (Exception failure) {
            close();
            throw failure;
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        opened.push(part);
        return part;
    }

    /** Starts everything and waits until both tunnels are online. */
    static Traffic start() throws Exception {
        return new Traffic();
    }

    private AgentProcess agent(String name, String protocol, int port, Secret token) throws IOException {
        return AgentProcess.start(
                AgentSettings.of(folder, engine, AgentProcess.config(engine, name, protocol, port), token)
                        .withJvmFlags(JvmFlags.withLeakDetection(JvmFlags.AGENT)));
    }

    /** The service behind the HTTP tunnel. */
    public RawBackend http() {
        return http;
    }

    /** The service behind the TCP tunnel. */
    public SocketServer tcp() {
        return tcp;
    }

    public EngineProcess engine() {
        return engine;
    }

    public SSLContext trust() {
        return trust;
    }

    /** Public host name and port of the HTTP tunnel, as callers write it into {@code Host}. */
    public String authority() {
        return host() + ":" + engine.port();
    }

    public String host() {
        return AgentProcess.hostname("web");
    }

    public URI uri(String path) {
        return URI.create("https://" + authority() + path);
    }

    /** A new connection to the HTTP tunnel. */
    public RawCaller call() throws IOException {
        return RawCaller.tls(engine.port(), trust, host());
    }

    /** A new connection to the TCP tunnel. */
    public RawCaller dial() throws IOException {
        return RawCaller.plain(tcpPort);
    }

    /** A new JDK client; the caller closes it. */
    public HttpClient client(HttpClient.Version version) {
        return HttpClient.newBuilder()
                .version(version)
                .sslContext(trust)
                .connectTimeout(Duration.ofSeconds(30))
                .build();
    }

    /** What {@code curl} prints on standard output. */
    public String curl(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                "curl",
                "--silent",
                "--show-error",
                "--max-time",
                "60",
                "--cacert",
                engine.caFile().toString()));
        command.addAll(List.of(arguments));
        Path errors = Files.createTempFile(folder, "curl", ".err");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(70, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        return output;
    }

    /** The newest lines of engine and HTTP agent, for failures. */
    String newestLogLines() {
        return "engine:%n%sagent:%n%s"
                .formatted(
                        engine.process().log().newest(),
                        httpAgent.process().log().newest());
    }

    /** See {@link Soundness}; a round of requests is the activity. */
    void verifySound() throws Exception {
        Soundness.verify(List.of(engine.process(), httpAgent.process(), tcpAgent.process()), () -> {
            tcp.serve(connection -> connection.getOutputStream().write('!'));
            for (int i = 0; i < 3; i++) {
                try (RawCaller caller = call();
                        RawCaller dialer = dial()) {
                    caller.send("GET /ping HTTP/1.1\r\nHost: " + authority() + "\r\nConnection: close\r\n\r\n");
                    assertThat(caller.readAnswer().body()).isEqualTo("pong");
                    assertThat(dialer.readToEnd()).isEqualTo("!");
                }
            }
        });
    }

    @Override
    public void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private void deleteFolder() throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
