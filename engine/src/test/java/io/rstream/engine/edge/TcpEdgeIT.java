package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import io.rstream.protocol.Message.CloseTunnelRequest;
import io.rstream.protocol.Message.OpenTunnelAccepted;
import io.rstream.protocol.Message.OpenTunnelRefused;
import io.rstream.protocol.Message.ProxyConnectionRequest;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TcpEdgeIT {
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
    void relaysBothDirectionsAndTellsTheSource() throws Exception {
        try (TestAgent agent = TestAgent.connect(engine)) {
            TunnelProperties tunnel = agent.open(tcp());
            try (Socket caller = connect(tunnel.port())) {
                caller.getOutputStream().write(bytes("ping"));
                ProxyConnectionRequest request = agent.streamRequest();
                var back = agent.callBack(request);

                assertThat(request.sourceAddress()).isEqualTo(InetAddress.getLoopbackAddress());
                assertThat(back.readText(4)).isEqualTo("ping");
                back.write("pong");
                assertThat(caller.getInputStream().readNBytes(4)).isEqualTo(bytes("pong"));
            }
            assertThat(tunnel.hostname()).isEqualTo("edge.localhost");
            assertThat(tunnel.host()).isEqualTo("edge.localhost:" + tunnel.port());
        }
    }

    @Test
    void deliversAnAnswerThatBeginsAfterTheCallerEnded() throws Exception {
        try (RawService service = RawService.start(connection -> {
                    String question = connection.rest();
                    connection.write("you said " + question);
                });
                TestAgent agent = TestAgent.connect(engine).serve(service.port());
                Socket caller = connect(agent.open(tcp()).port())) {
            caller.getOutputStream().write(bytes("hello"));
            caller.shutdownOutput();

            assertThat(new String(caller.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("you said hello");
        }
    }

    @Test
    void letsTheCallerGoOnAfterTheServiceEnded() throws Exception {
        java.util.concurrent.CompletableFuture<String> heard = new java.util.concurrent.CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
                    connection.write("banner");
                    connection.socket.shutdownOutput();
                    heard.complete(connection.rest());
                });
                TestAgent agent = TestAgent.connect(engine).serve(service.port());
                Socket caller = connect(agent.open(tcp()).port())) {
            assertThat(new String(caller.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("banner");
            caller.getOutputStream().write(bytes("still here"));
            caller.shutdownOutput();

            assertThat(heard.get(20, java.util.concurrent.TimeUnit.SECONDS)).isEqualTo("still here");
        }
    }

    @Test
    void closesTheCallerWhenTheAgentRefuses() throws Exception {
        try (TestAgent agent = TestAgent.connect(engine);
                Socket caller = connect(agent.open(tcp()).port())) {
            agent.refuse(agent.streamRequest(), "no");

            assertThat(caller.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void givesTheReservedPort() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            int free = agent.open(tcp()).port();
            agent.control.send(new CloseTunnelRequest(agent.open(tcp()).id()));
            agent.answer();

            try (TestAgent other = TestAgent.connect(engine, EngineFixture.token("other"), null)) {
                WireError taken = refused(other.request(tcp().port(free)));

                assertThat(taken).isEqualTo(new WireError(2000, "Published TCP port " + free + " is already in use."));
            }
        }
    }

    @Test
    void refusesAPortOutsideTheRange() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            WireError error = refused(agent.request(tcp().port(1)));

            assertThat(error).isEqualTo(new WireError(2000, "Reserved TCP address is not available for this project."));
        }
    }

    @Test
    void saysThatAnotherProcessHasThePort() throws Exception {
        try (TestAgent agent = TestAgent.connect(engine)) {
            TunnelProperties tunnel = agent.open(tcp());
            agent.control.send(new CloseTunnelRequest(tunnel.id()));
            agent.answer();
            try (ServerSocket _ = occupy(tunnel.port())) {
                WireError error = refused(agent.request(tcp().port(tunnel.port())));

                assertThat(error.code()).isEqualTo(6000);
                assertThat(error.message()).contains("port " + tunnel.port() + " cannot be opened");
            }
        }
    }

    @Test
    void passesOverPortsThatOtherProcessesHave() throws Exception {
        try (TestAgent agent = TestAgent.connect(engine)) {
            TunnelProperties first = agent.open(tcp().name("fixed"));
            agent.control.send(new CloseTunnelRequest(first.id()));
            agent.answer();
            try (ServerSocket _ = occupy(first.port())) {
                assertThat(agent.open(tcp().name("fixed")).port()).isNotEqualTo(first.port());
            }
        }
    }

    @Test
    void saysWhenThePortsAreUsedUp() {
        try (EngineFixture small = EngineFixture.start(
                        "tcp: {bindAddress: 127.0.0.1, ports: %d}".formatted(freePort()), "timeouts: {drain: 1s}");
                TestAgent agent = TestAgent.connect(small)) {
            agent.open(tcp());

            assertThat(refused(agent.request(tcp())).code()).isEqualTo(7000);
        }
    }

    @Test
    void givesAKilledAgentItsPortBack() {
        TestAgent killed = TestAgent.connect(engine);
        int port = killed.open(tcp()).port();
        killed.control.kill();

        try (TestAgent restarted = TestAgent.connect(engine)) {
            assertThat(restarted.request(tcp().port(port))).isInstanceOf(OpenTunnelAccepted.class);
        }
    }

    @Test
    void closesThePortWithTheTunnelButNotItsStreams() throws Exception {
        try (RawService service = RawService.start(connection -> connection.write(connection.text(4)));
                TestAgent agent = TestAgent.connect(engine).serve(service.port())) {
            TunnelProperties tunnel = agent.open(tcp());
            try (Socket caller = connect(tunnel.port())) {
                await().until(() -> agent.streams.get() == 1);
                await().until(() -> engine.meter("rstream.engine.streams") >= 1);
                agent.control.send(new CloseTunnelRequest(tunnel.id()));
                agent.answer();

                await().untilAsserted(() ->
                        assertThatThrownBy(() -> connect(tunnel.port()).close()).isInstanceOf(ConnectException.class));
                caller.getOutputStream().write(bytes("ping"));
                assertThat(caller.getInputStream().readNBytes(4)).isEqualTo(bytes("ping"));
            }
        }
    }

    private static TunnelProperties.Builder tcp() {
        return TunnelProperties.builder().protocol("tcp");
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static ServerSocket occupy(int port) {
        return await().ignoreExceptions()
                .until(() -> new ServerSocket(port, 1, InetAddress.getLoopbackAddress()), socket -> true);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static WireError refused(Object answer) {
        assertThat(answer).isInstanceOf(OpenTunnelRefused.class);
        return ((OpenTunnelRefused) answer).error();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
