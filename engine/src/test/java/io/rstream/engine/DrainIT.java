package io.rstream.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.protocol.Message.OpenControlChannelAccepted;
import io.rstream.protocol.Message.OpenControlChannelRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainIT {
    private EngineFixture engine;
    private TestAgent agent;
    private Thread stop;

    @BeforeEach
    void start() {
        engine = EngineFixture.start("timeouts: {drain: 2s}");
    }

    @AfterEach
    void stop() throws InterruptedException {
        stop.join();
        agent.close();
    }

    @Test
    void closesAConnectionWhoseHandshakeComesWhileTheEngineStops() throws Exception {
        try (Socket tcp = new Socket(InetAddress.getLoopbackAddress(), engine.port())) {
            beginToStop();

            assertThat(answerOverTls(tcp)).isEmpty();
        }
    }

    @Test
    void refusesASessionWhileTheEngineStops() throws Exception {
        try (WireClient late = WireClient.connect(engine)) {
            beginToStop();

            var _ = late.channel.writeAndFlush(
                    new OpenControlChannelRequest(TestAgent.details(EngineFixture.token()), null));

            assertThat(late.take()).isNotInstanceOf(OpenControlChannelAccepted.class);
        }
    }

    /** Until a session that was open is ended; at that moment the engine is past its list of what is open. */
    private void beginToStop() {
        agent = TestAgent.connect(engine);
        stop = Thread.ofVirtual().start(engine::close);
        assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);
    }

    private String answerOverTls(Socket tcp) {
        try (SSLSocket socket = (SSLSocket)
                engine.sslContext().getSocketFactory().createSocket(tcp, "edge.localhost", engine.port(), true)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("GET /api/auth HTTP/1.1\r\nHost: edge.localhost\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException closed) {
            return "";
        }
    }
}
