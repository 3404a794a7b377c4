package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawHttps;
import io.rstream.engine.TestAgent;
import io.rstream.protocol.TunnelProperties;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests the engine answers itself, and which connections and requests it does not want. */
class EdgeApiIT {
    @ParameterizedTest
    @ValueSource(strings = {"edge.localhost", "localhost", "LOCALHOST:443", "127.0.0.1:8443", "[::1]:8443"})
    void answersForEveryNameOfTheEngineInBothFormsOfTheTarget(String authority) throws Exception {
        try (EngineFixture engine = EngineFixture.start("timeouts: {drain: 1s}");
                RawHttps https = RawHttps.connect(engine, "edge.localhost", "http/1.1")) {
            for (String target : List.of("/api/auth", "https://" + authority + "/api/auth")) {
                https.send("GET " + target + " HTTP/1.1\r\nHost: " + authority + "\r\nAuthorization: Bearer "
                        + EngineFixture.token() + "\r\n\r\n");

                RawHttps.Response response = https.read();

                assertThat(response.status()).isEqualTo(200);
                assertThat(response.body()).isEqualTo("{\"authenticated\":true}");
            }
        }
    }

    @Test
    void neverAnswersInPlaceOfATunnel() throws Exception {
        try (EngineFixture engine = EngineFixture.start("timeouts: {drain: 1s}");
                RawHttps https = RawHttps.connect(engine, "edge.localhost", "http/1.1")) {
            https.send("GET /api/auth HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n");

            assertThat(https.read().status()).isEqualTo(404);
        }
    }

    @Test
    void doesNotCarryARequestOutThatItHasAnsweredAsTooSlow() throws Exception {
        try (EngineFixture engine = EngineFixture.start("timeouts: {requestHeader: 300ms, drain: 1s}");
                TestAgent agent = TestAgent.connect(engine);
                RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1")) {
            agent.openHttp("web.t.localhost");
            https.send("GET /late HTTP/1.1\r\nHost: web.t.localhost\r\n");

            assertThat(https.read().status()).isEqualTo(408);
            https.send("\r\n");

            assertThat(https.rest()).isEmpty();
            assertThat(agent.hasNoAnswer()).isTrue();
        }
    }

    @Test
    void countsCallersOfPublishedPortsAmongItsConnections() throws Exception {
        try (EngineFixture engine = EngineFixture.start("timeouts: {drain: 1s}", "limits: {connections: 3}");
                TestAgent agent = TestAgent.connect(engine)) {
            int port = agent.open(TunnelProperties.builder().protocol("tcp")).port();
            List<Socket> open = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                open.add(new Socket(InetAddress.getLoopbackAddress(), port));
                agent.streamRequest();
            }
            assertThat(engine.meter("rstream.engine.connections")).isEqualTo(3);

            try (Socket surplus = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(isEnded(surplus)).isTrue();
            }
            for (Socket socket : open) {
                socket.close();
            }
            await().until(() -> engine.meter("rstream.engine.connections") <= 3);
        }
    }

    private static boolean isEnded(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }
}
