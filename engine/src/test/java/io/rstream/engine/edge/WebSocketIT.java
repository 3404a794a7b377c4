package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawHttps;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class WebSocketIT {
    private static final String UPGRADE =
            "GET /ws HTTP/1.1\r\nHost: web.t.localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
    private static EngineFixture engine;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {drain: 1s}");
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @Test
    void carriesWebSocketMessages() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        try (RawService service = RawService.start(WebSocketIT::echoFrames);
                TestAgent agent = TestAgent.connect(engine).serve(service.port())) {
            agent.openHttp("web.t.localhost");
            WebSocket socket = engine.http(HttpClient.Version.HTTP_1_1)
                    .newWebSocketBuilder()
                    .buildAsync(URI.create("wss://web.t.localhost:" + engine.port() + "/ws"), new WebSocket.Listener() {
                        @Override
                        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                            received.add(data.toString());
                            from.request(1);
                            return null;
                        }
                    })
                    .get(20, TimeUnit.SECONDS);

            for (String text : new String[] {"one", "two", "x".repeat(100)}) {
                socket.sendText(text, true).get(20, TimeUnit.SECONDS);
                assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo(text);
            }
            socket.abort();
        }
    }

    @Test
    void keepsWhatEitherSideSendsTogetherWithTheSwitch() throws Exception {
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write(
                            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nwelcome");
                    connection.write(connection.text(10));
                });
                TestAgent agent = TestAgent.connect(engine).serve(service.port());
                RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1")) {
            agent.openHttp("web.t.localhost");

            https.send(UPGRADE + "early");
            String head = https.head();
            https.send("later");

            assertThat(head)
                    .startsWith("HTTP/1.1 101 ")
                    .containsIgnoringCase("\r\nconnection: upgrade\r\n")
                    .containsIgnoringCase("\r\nupgrade: echo\r\n");
            assertThat(https.rest()).isEqualTo("welcomeearlylater");
        }
    }

    @Test
    void passesARefusedUpgradeOnAsAnOrdinaryResponse() throws Exception {
        try (RawService service = RawService.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
                TestAgent agent = TestAgent.connect(engine).serve(service.port());
                RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1")) {
            agent.openHttp("web.t.localhost");

            for (int i = 0; i < 2; i++) {
                https.send(UPGRADE);
                assertThat(https.read().status()).isEqualTo(403);
            }
            assertThat(service.heads.getFirst())
                    .containsIgnoringCase("\r\nupgrade: echo\r\n")
                    .containsIgnoringCase("\r\nconnection: upgrade\r\n");
        }
    }

    @Test
    void takesAnUnaskedSwitchForABrokenResponse() throws Exception {
        try (RawService service = RawService.answering(
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
                TestAgent agent = TestAgent.connect(engine).serve(service.port());
                RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1")) {
            agent.openHttp("web.t.localhost");

            https.send("GET / HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n");

            assertThat(https.read().status()).isEqualTo(502);
        }
    }

    private static void echoFrames(RawService.Connection connection) throws java.io.IOException {
        String head = connection.head();
        connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: " + accept(head) + "\r\n\r\n");
        while (true) {
            int first = connection.in().read();
            int second = connection.in().read();
            if (second < 0) {
                return;
            }
            byte[] mask = connection.in().readNBytes(4);
            byte[] payload = connection.in().readNBytes(second & 0x7f);
            for (int i = 0; i < payload.length; i++) {
                payload[i] ^= mask[i % 4];
            }
            connection.out().write(first);
            connection.out().write(payload.length);
            connection.out().write(payload);
            connection.out().flush();
        }
    }

    private static String accept(String head) {
        String key = head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("sec-websocket-key:"))
                .map(line -> line.substring(18).strip())
                .findFirst()
                .orElseThrow();
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1")
                    .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(hash);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
