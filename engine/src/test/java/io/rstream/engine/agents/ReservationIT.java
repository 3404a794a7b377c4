package io.rstream.engine.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.TestAgent;
import io.rstream.protocol.Message.CloseControlChannelRequest;
import io.rstream.protocol.Message.CloseControlChannelResponse;
import io.rstream.protocol.Message.CloseTunnelRequest;
import io.rstream.protocol.Message.CloseTunnelResponse;
import io.rstream.protocol.Message.OpenTunnelAccepted;
import io.rstream.protocol.Message.OpenTunnelRefused;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import java.util.HexFormat;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReservationIT {
    private EngineFixture engine;

    @BeforeEach
    void start() {
        engine = EngineFixture.start("timeouts: {drain: 1s}");
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    static Stream<Arguments> addresses() {
        return Stream.of(
                address(
                        "Hostname is already in use.",
                        () -> TunnelProperties.builder().protocol("http").hostname("web.t.localhost")),
                address(
                        "Tunnel name is already in use.",
                        () -> TunnelProperties.builder().publish(false).name("db")));
    }

    @ParameterizedTest
    @MethodSource("addresses")
    void keepsAnAddressForThePrincipalWhoseSessionWasLost(
            String refusal, Supplier<TunnelProperties.Builder> properties) {
        TestAgent lost = TestAgent.connect(engine);
        lost.open(properties.get());

        lose(lost);

        try (TestAgent stranger = stranger();
                TestAgent returned = TestAgent.connect(engine)) {
            assertThat(refused(stranger.request(properties.get()))).isEqualTo(new WireError(2000, refusal));
            assertThat(returned.request(properties.get())).isInstanceOf(OpenTunnelAccepted.class);
        }
    }

    @Test
    void keepsAPublishedPortForThePrincipalWhoseSessionWasLost() {
        TestAgent lost = TestAgent.connect(engine);
        int port = lost.open(TunnelProperties.builder().protocol("tcp")).port();

        lose(lost);

        try (TestAgent stranger = stranger();
                TestAgent returned = TestAgent.connect(engine)) {
            assertThat(refused(stranger.request(tcp(port))))
                    .isEqualTo(new WireError(2000, "Published TCP port " + port + " is already in use."));
            assertThat(returned.open(tcp(port)).port()).isEqualTo(port);
        }
    }

    @Test
    void givesAStrangerWithoutAWishAnotherPortThanTheOneThatIsKept() {
        TestAgent lost = TestAgent.connect(engine);
        int port = lost.open(TunnelProperties.builder().protocol("tcp").name("shell"))
                .port();
        lose(lost);

        try (TestAgent stranger = stranger()) {
            // Where the search begins is random, so all ports are asked for.
            Object answer = stranger.request(TunnelProperties.builder().protocol("tcp"));
            while (answer instanceof OpenTunnelAccepted accepted) {
                assertThat(accepted.properties().port()).isNotEqualTo(port);
                answer = stranger.request(TunnelProperties.builder().protocol("tcp"));
            }
            assertThat(refused(answer).code()).isEqualTo(7000);
        }
    }

    @Test
    void keepsAnAddressAfterABrokenFrameToo() {
        TestAgent lost = TestAgent.connect(engine);
        lost.openHttp("web.t.localhost");

        lost.control.write(HexFormat.of().parseHex("00010000"));
        awaitNoSession();

        try (TestAgent stranger = stranger()) {
            assertThat(refused(stranger.request(http())).message()).isEqualTo("Hostname is already in use.");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keepsNothingAfterAnOrderlyEnd(boolean wholeSession) {
        try (TestAgent agent = TestAgent.connect(engine);
                TestAgent stranger = stranger()) {
            String id = agent.openHttp("web.t.localhost").id();

            if (wholeSession) {
                agent.control.send(new CloseControlChannelRequest());
                assertThat(agent.answer()).isEqualTo(new CloseControlChannelResponse());
            } else {
                agent.control.send(new CloseTunnelRequest(id));
                assertThat(agent.answer()).isEqualTo(new CloseTunnelResponse(id));
            }

            assertThat(stranger.request(http())).isInstanceOf(OpenTunnelAccepted.class);
        }
    }

    private void lose(TestAgent agent) {
        agent.control.kill();
        awaitNoSession();
    }

    private void awaitNoSession() {
        await().until(() -> engine.meter("rstream.engine.sessions") == 0);
    }

    private TestAgent stranger() {
        return TestAgent.connect(engine, EngineFixture.token("stranger"), null);
    }

    private static TunnelProperties.Builder http() {
        return TunnelProperties.builder().protocol("http").hostname("web.t.localhost");
    }

    private static TunnelProperties.Builder tcp(int port) {
        return TunnelProperties.builder().protocol("tcp").port(port);
    }

    private static WireError refused(Object answer) {
        assertThat(answer).isInstanceOf(OpenTunnelRefused.class);
        return ((OpenTunnelRefused) answer).error();
    }

    private static Arguments address(String refusal, Supplier<TunnelProperties.Builder> properties) {
        return Arguments.of(refusal, properties);
    }
}
