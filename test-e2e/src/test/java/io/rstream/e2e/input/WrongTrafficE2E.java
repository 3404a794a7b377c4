package io.rstream.e2e.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.e2e.install.Trusting;
import io.rstream.e2e.process.AgentProcess;
import io.rstream.e2e.process.AgentSettings;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.e2e.process.EngineSettings;
import io.rstream.e2e.process.JvmFlags;
import io.rstream.e2e.process.LogLine;
import io.rstream.e2e.traffic.RawBackend;
import io.rstream.e2e.traffic.RawCaller;
import io.rstream.e2e.traffic.RawCaller.Answer;
import io.rstream.e2e.traffic.Soundness;
import io.rstream.process.Secret;
import io.rstream.protocol.Message;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.WireError;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames, requests and agents that break the rules, against an engine with short time limits. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class WrongTrafficE2E {
    private static final Duration ONLINE = Duration.ofSeconds(90);

    @TempDir
    private static Path folder;

    private static EngineProcess engine;
    private static AgentProcess agent;
    private static RawBackend backend;
    private static Secret token;
    private static SSLContext trust;

    @BeforeAll
    static void start() throws Exception {
        engine = EngineProcess.start(EngineSettings.in(folder)
                .withJvmFlags(JvmFlags.withLeakDetection(JvmFlags.ENGINE))
                .withTimeout("handshake", "6s")
                .withTimeout("firstFrame", "3s")
                .withTimeout("requestHeader", "3s")
                .withTimeout("streamRequest", "5s"));
        token = engine.token("--subject", "first");
        trust = Trusting.only(engine.caFile());
        backend = RawBackend.start();
        agent = AgentProcess.start(
                AgentSettings.of(folder, engine, AgentProcess.config(engine, "web", "http", backend.port()), token)
                        .withJvmFlags(JvmFlags.withLeakDetection(JvmFlags.AGENT)));
        agent.awaitOnline(ONLINE);
    }

    @AfterAll
    static void stop() throws Exception {
        try {
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(Soundness.metric(engine, "rstream_engine_sessions"))
                            .isEqualTo(1));
            Soundness.verify(List.of(engine.process(), agent.process()), WrongTrafficE2E::assertStillServing);
            agent.close();
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(Soundness.metric(engine, "rstream_engine_connections"))
                        .isZero();
                assertThat(Soundness.metric(engine, "rstream_engine_streams")).isZero();
            });
        } finally {
            agent.close();
            engine.close();
            backend.close();
        }
    }

    static Stream<byte[]> wrongFrames() {
        return Stream.of(
                frame(65_536, new byte[0]),
                frame(Integer.MAX_VALUE, new byte[0]),
                frame(-1, new byte[0]),
                frame(8, new byte[] {-1, -1, -1, -1, -1, -1, -1, -1}),
                frame(0, new byte[0]),
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @MethodSource("wrongFrames")
    void closesANativeConnectionAfterAWrongFirstFrame(byte[] bytes) throws Exception {
        try (RawCaller caller =
                RawCaller.tls(engine.port(), trust, EngineProcess.HOST, TransportSecurity.ALPN_RSTREAM)) {
            caller.send(bytes);

            assertThat(awaitEnd(caller)).isZero();
        }
        assertStillServing();
    }

    @Test
    void closesANativeConnectionThatSaysNothing() throws Exception {
        try (RawCaller caller =
                RawCaller.tls(engine.port(), trust, EngineProcess.HOST, TransportSecurity.ALPN_RSTREAM)) {
            assertThat(awaitEnd(caller)).isZero();
        }
    }

    @Test
    void closesANativeConnectionWhoseFrameStaysUnfinished() throws Exception {
        try (RawCaller caller =
                RawCaller.tls(engine.port(), trust, EngineProcess.HOST, TransportSecurity.ALPN_RSTREAM)) {
            caller.send(frame(65_535, new byte[100]));

            assertThat(awaitEnd(caller)).isZero();
        }
    }

    @Test
    void closesAConnectionOfGarbage() throws Exception {
        byte[] garbage = new byte[4_096];
        new Random(7).nextBytes(garbage);
        garbage[0] = 1;
        try (RawCaller caller = RawCaller.plain(engine.port())) {
            caller.send(garbage);

            assertThat(awaitEnd(caller)).isZero();
        }
        assertStillServing();
    }

    @Test
    void closesATlsConnectionWhoseHelloIsGarbage() throws Exception {
        byte[] garbage = new byte[4_096];
        new Random(7).nextBytes(garbage);
        ByteBuffer.wrap(garbage).put((byte) 22).put((byte) 3).put((byte) 3).putShort((short) 4_000);
        try (RawCaller caller = RawCaller.plain(engine.port())) {
            caller.send(garbage);

            assertThat(awaitEnd(caller)).as("at most a TLS alert").isLessThanOrEqualTo(7);
        }
        assertStillServing();
    }

    @Test
    void closesAConnectionThatNeverBegins() throws Exception {
        try (RawCaller caller = RawCaller.plain(engine.port())) {
            assertThat(awaitEnd(caller)).isZero();
        }
    }

    @Test
    void tellsPlainHttpToUseTls() throws Exception {
        try (RawCaller caller = RawCaller.plain(engine.port())) {
            caller.send("GET / HTTP/1.1\r\nHost: web.t.rstream.localhost\r\n\r\n");
            Answer answer = caller.readAnswer();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.head().field("Content-Type")).hasValue("text/plain; charset=utf-8");
            assertThat(answer.body()).contains("TLS");
            assertThat(awaitEnd(caller)).isZero();
        }
    }

    @Test
    void answersAnUnknownHostWith404AndKeepsTheConnection() throws Exception {
        try (RawCaller caller = call()) {
            caller.send("GET / HTTP/1.1\r\nHost: nobody.t.rstream.localhost:" + engine.port() + "\r\n\r\n");
            Answer answer = caller.readAnswer();
            caller.send(ping());
            Answer next = caller.readAnswer();

            assertPlain(answer, 404);
            assertThat(next.body()).isEqualTo("pong");
        }
    }

    @Test
    void answersAnUnknownHostWith404OverHttp2() throws Exception {
        try (HttpClient client = HttpClient.newBuilder().sslContext(trust).build()) {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create("https://nobody.t.rstream.localhost:" + engine.port() + "/"))
                            .build(),
                    BodyHandlers.ofString());

            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(response.headers().firstValue("content-type")).hasValue("text/plain; charset=utf-8");
            assertThat(response.body().lines()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET /never HTTP/1.1\r\nHost: HOST\r\nno colon\r\n\r\n",
                "GET /never HTTP/1.1\r\nHost : HOST\r\n\r\n",
                "POST /never HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /never HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody!",
                "POST /never HTTP/1.1\r\nHost: HOST\r\nContent-Length: -4\r\n\r\n",
                "POST /never HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip\r\n\r\n"
            })
    void endsAConnectionOfWhichNobodyKnowsWhereTheRequestEnds(String request) throws Exception {
        AtomicInteger seen = new AtomicInteger();
        backend.on("never", exchange -> seen.incrementAndGet());

        try (RawCaller caller = call()) {
            caller.send(request.replace("HOST", authority()));
            Answer answer = caller.readAnswer();

            assertPlain(answer, 400);
            assertThat(awaitEnd(caller)).isZero();
        }
        assertStillServing();
        assertThat(seen).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /never HTTP/1.1\r\n\r\n",
                "GET /never HTTP/1.1\r\nHost: HOST\r\nHost: other\r\n\r\n",
                "GET https://other.example/never HTTP/1.1\r\nHost: HOST\r\n\r\n"
            })
    void showsNoServiceARequestWhoseHostIsNotClear(String request) throws Exception {
        AtomicInteger seen = new AtomicInteger();
        backend.on("never", exchange -> seen.incrementAndGet());

        try (RawCaller caller = call()) {
            caller.send(request.replace("HOST", authority()));
            Answer answer = caller.readAnswer();

            assertThat(answer.status()).isIn(400, 404);
            assertPlain(answer, answer.status());
        }
        assertStillServing();
        assertThat(seen).hasValue(0);
    }

    @Test
    void givesUpOnARequestWhoseHeaderNeverEnds() throws Exception {
        try (RawCaller caller = call()) {
            caller.send("GET /ping HTTP/1.1\r\nHost: ");
            Answer answer = caller.readAnswer();

            assertPlain(answer, 408);
            assertThat(awaitEnd(caller)).isZero();
        }
    }

    @Test
    void answers504WhenAnAgentNeverCallsBack() throws Exception {
        try (SilentAgent silent = SilentAgent.connect(engine, token);
                RawCaller caller = call()) {
            assertThat(silent.openTunnel("silent", "silent.t.rstream.localhost"))
                    .isInstanceOf(Message.OpenTunnelAccepted.class);
            caller.send("GET / HTTP/1.1\r\nHost: silent.t.rstream.localhost:" + engine.port() + "\r\n\r\n");
            silent.receive(Message.ProxyConnectionRequest.class);
            Answer answer = caller.readAnswer();
            caller.send(ping());

            assertPlain(answer, 504);
            assertThat(caller.readAnswer().body()).isEqualTo("pong");
        }
    }

    @Test
    void answers502WhenAnAgentRefuses() throws Exception {
        try (SilentAgent refusing = SilentAgent.connect(engine, token);
                RawCaller caller = call()) {
            refusing.openTunnel("refusing", "refusing.t.rstream.localhost");
            caller.send("GET / HTTP/1.1\r\nHost: refusing.t.rstream.localhost:" + engine.port() + "\r\n\r\n");
            refusing.refuse(
                    refusing.receive(Message.ProxyConnectionRequest.class),
                    new WireError(WireError.SERVICE_UNAVAILABLE, "no service"));

            assertPlain(caller.readAnswer(), 502);
        }
    }

    @Test
    void answers502WhenAnAgentGoesAwayInsteadOfCallingBack() throws Exception {
        try (RawCaller caller = call()) {
            try (SilentAgent leaving = SilentAgent.connect(engine, token)) {
                leaving.openTunnel("leaving", "leaving.t.rstream.localhost");
                caller.send("GET / HTTP/1.1\r\nHost: leaving.t.rstream.localhost:" + engine.port() + "\r\n\r\n");
                leaving.receive(Message.ProxyConnectionRequest.class);
            }

            assertPlain(caller.readAnswer(), 502);
        }
    }

    @Test
    void tellsAnAgentThatItsHostnameIsTakenAndLeavesTheOwnerAlone() throws Exception {
        long before = agent.process().log().position();
        Secret other = engine.token("--subject", "second");
        AgentSettings settings = AgentSettings.of(
                        Files.createDirectory(folder.resolve("second")),
                        engine,
                        AgentProcess.config(engine, "web", "http", backend.port()),
                        other)
                .withJvmFlags(JvmFlags.withLeakDetection(JvmFlags.AGENT));

        try (AgentProcess second = AgentProcess.start(settings)) {
            LogLine line = second.process()
                    .log()
                    .await("a disconnection", each -> each.message().equals("Tunnel disconnected; retrying"), ONLINE);

            assertThat(line.value("error"))
                    .hasValueSatisfying(error -> assertThat(error).contains("2000", "already in use"));
            assertStillServing();
            assertThat(agent.process().log().position()).as("log of the owner").isEqualTo(before);
        }
    }

    @Test
    void tellsAnAgentThatItsTokenIsWrongWithoutRepeatingIt() throws Exception {
        Secret wrong = Secret.of("eyJhbGciOiJub25lIn0.e30.marker-of-a-wrong-token");
        AgentSettings settings = AgentSettings.of(
                Files.createDirectory(folder.resolve("wrong-token")),
                engine,
                AgentProcess.config(engine, "other", "http", backend.port()),
                wrong);

        try (AgentProcess refused = AgentProcess.start(settings)) {
            LogLine line = refused.process()
                    .log()
                    .await("a disconnection", each -> each.message().equals("Tunnel disconnected; retrying"), ONLINE);

            assertThat(line.value("error"))
                    .hasValueSatisfying(error -> assertThat(error).contains("1000"));
            assertThat(refused.process().log().containing("marker-of-a-wrong-token"))
                    .isEmpty();
            assertThat(engine.process().log().containing("marker-of-a-wrong-token"))
                    .isEmpty();
        }
    }

    private static void assertPlain(Answer answer, int status) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.head().field("Content-Type")).hasValue("text/plain; charset=utf-8");
        assertThat(answer.body().lines()).hasSize(1);
    }

    /** Reads until the peer ends the connection in any way and tells how much came before; a peer that does not fails. */
    private static int awaitEnd(RawCaller caller) throws IOException {
        int count = 0;
        try {
            while (caller.in().read() >= 0) {
                count++;
            }
        } catch (SocketTimeoutException stillOpen) {
            throw new AssertionError("the connection is still open", stillOpen);
        } catch (IOException reset) {
            return count;
        }
        return count;
    }

    private static void assertStillServing() throws Exception {
        try (RawCaller caller = call()) {
            caller.send(ping());
            assertThat(caller.readAnswer().body()).isEqualTo("pong");
        }
    }

    private static RawCaller call() throws IOException {
        return RawCaller.tls(engine.port(), trust, AgentProcess.hostname("web"));
    }

    private static String authority() {
        return AgentProcess.hostname("web") + ":" + engine.port();
    }

    private static String ping() {
        return "GET /ping HTTP/1.1\r\nHost: " + authority() + "\r\n\r\n";
    }

    private static byte[] frame(int length, byte[] payload) {
        return ByteBuffer.allocate(4 + payload.length)
                .putInt(length)
                .put(payload)
                .array();
    }
}
