package io.rstream.engine.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawHttps;
import io.rstream.engine.TestAgent;
import io.rstream.engine.WireClient;
import io.rstream.protocol.Message.ProxyConnectionRequest;
import io.rstream.protocol.Message.ProxyConnectionResponse;
import io.rstream.protocol.Message.ProxyRequest;
import io.rstream.protocol.Message.ProxyResponse;
import io.rstream.protocol.Message.StreamAccepted;
import io.rstream.protocol.Message.StreamRefused;
import io.rstream.protocol.Message.StreamRequest;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RendezvousIT {
    private static EngineFixture engine;
    private static EngineFixture hasty;
    private TestAgent agent;
    private TunnelProperties tunnel;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {streamRequest: 20s, drain: 1s}");
        hasty = EngineFixture.start("timeouts: {streamRequest: 300ms, drain: 1s}");
    }

    @AfterAll
    static void stop() {
        engine.close();
        hasty.close();
    }

    @BeforeEach
    void openTunnel() {
        agent = TestAgent.connect(engine);
        tunnel = agent.open(TunnelProperties.builder().publish(false).name("db"));
    }

    @AfterEach
    void closeTunnel() {
        agent.close();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void joinsDialerAndAgentByNameAndIdInBothModes(boolean zeroRtt, boolean byName) {
        try (WireClient dialer = dial(byName ? "db" : tunnel.id(), zeroRtt)) {
            ProxyConnectionRequest request = agent.streamRequest();
            try (WireClient back = agent.callBack(request, request.secret(), zeroRtt)) {
                if (!zeroRtt) {
                    assertThat(back.take(ProxyResponse.class).error()).isNull();
                    assertThat(dialer.take(StreamAccepted.class).streamId()).isEqualTo(request.streamId());
                }
                dialer.write("ping");
                assertThat(back.readText(4)).isEqualTo("ping");
                back.write("pong");
                assertThat(dialer.readText(4)).isEqualTo("pong");
            }
        }
    }

    @Test
    void describesTheStreamToTheAgent() throws Exception {
        try (WireClient _ = dial("db", true)) {
            ProxyConnectionRequest request = agent.streamRequest();

            assertThat(request.tunnelId()).isEqualTo(tunnel.id());
            assertThat(request.streamId()).matches("[0-9a-f]{24}");
            assertThat(request.secret()).hasSizeGreaterThanOrEqualTo(32);
            assertThat(request.sourceAddress()).isEqualTo(InetAddress.getLoopbackAddress());
            assertThat(request.proxyEndpoint()).isNull();
        }
    }

    @Test
    void keepsWhatTheDialerSentBeforeTheAgentCalledBack() {
        String early = "x".repeat(40_000);
        try (WireClient dialer = WireClient.connect(engine)) {
            dialer.sendThenRaw(streamRequest("db", true), early);
            ProxyConnectionRequest request = agent.streamRequest();

            try (WireClient back = agent.callBack(request)) {
                assertThat(back.readText(early.length())).isEqualTo(early);
            }
        }
    }

    @Test
    void keepsWhatTheAgentSendsTogetherWithItsRequest() {
        try (WireClient dialer = dial("db", true)) {
            ProxyConnectionRequest request = agent.streamRequest();

            try (WireClient back = WireClient.connect(engine)) {
                back.sendThenRaw(
                        new ProxyRequest(TestAgent.details(request.secret()), request.streamId(), true), "banner");

                assertThat(dialer.readText(6)).isEqualTo("banner");
            }
        }
    }

    @Test
    void doesNotLetAWrongSecretDisturbTheOneWhoWaits() {
        try (WireClient dialer = dial("db", true)) {
            ProxyConnectionRequest request = agent.streamRequest();
            try (WireClient guess = agent.callBack(request, "0".repeat(64), false)) {
                assertThat(guess.take(ProxyResponse.class).error().code()).isEqualTo(4000);
                guess.awaitClosed();
            }
            try (WireClient silentGuess = agent.callBack(request, null, true)) {
                silentGuess.awaitClosed();
            }

            try (WireClient back = agent.callBack(request)) {
                dialer.write("ping");
                assertThat(back.readText(4)).isEqualTo("ping");
            }
        }
    }

    @Test
    void acceptsASecretOnce() {
        try (WireClient dialer = dial("db", true)) {
            ProxyConnectionRequest request = agent.streamRequest();
            try (WireClient first = agent.callBack(request)) {
                dialer.write("ping");
                assertThat(first.readText(4)).isEqualTo("ping");

                try (WireClient second = agent.callBack(request, request.secret(), false)) {
                    assertThat(second.take(ProxyResponse.class).error().code()).isEqualTo(4000);
                }
                dialer.write("pong");
                assertThat(first.readText(4)).isEqualTo("pong");
            }
        }
    }

    @Test
    void refusesAnUnknownStream() {
        ProxyConnectionRequest unknown = new ProxyConnectionRequest("t", "0".repeat(24), "s", null, null);
        try (WireClient back = agent.callBack(unknown, "s", false)) {
            assertThat(back.take(ProxyResponse.class).error().code()).isEqualTo(4000);
        }
    }

    @Test
    void failsTheDialWhenTheAgentRefuses() {
        try (WireClient dialer = dial("db", false)) {
            agent.refuse(agent.streamRequest(), "out of order");

            WireError error = dialer.take(StreamRefused.class).error();

            assertThat(error.code()).isEqualTo(6000);
            assertThat(error.message()).contains("out of order");
            dialer.awaitClosed();
        }
    }

    @Test
    void ignoresARefusalAfterTheStreamIsThere() {
        try (WireClient dialer = dial("db", true)) {
            ProxyConnectionRequest request = agent.streamRequest();
            try (WireClient back = agent.callBack(request)) {
                dialer.write("a");
                assertThat(back.readText(1)).isEqualTo("a");

                agent.refuse(request, "too late");

                dialer.write("b");
                assertThat(back.readText(1)).isEqualTo("b");
            }
        }
    }

    @Test
    void takesARefusalFromTheAskedSessionOnly() {
        try (WireClient dialer = dial("db", true);
                TestAgent stranger = TestAgent.connect(engine)) {
            ProxyConnectionRequest request = agent.streamRequest();

            stranger.refuse(request, "mischief");
            stranger.open(TunnelProperties.builder().publish(false));

            try (WireClient back = agent.callBack(request)) {
                dialer.write("ping");
                assertThat(back.readText(4)).isEqualTo("ping");
            }
        }
    }

    @Test
    void joinsWhenTheAgentConfirmsBeforeItCallsBack() {
        try (WireClient dialer = dial("db", true)) {
            ProxyConnectionRequest request = agent.streamRequest();

            agent.control.send(new ProxyConnectionResponse(request.streamId(), null));

            try (WireClient back = agent.callBack(request)) {
                dialer.write("ping");
                assertThat(back.readText(4)).isEqualTo("ping");
            }
        }
    }

    @Test
    void failsTheDialWhenTheAgentDoesNotCallBackInTime() {
        try (TestAgent silent = TestAgent.connect(hasty);
                WireClient dialer = WireClient.connect(hasty)) {
            silent.open(TunnelProperties.builder().publish(false).name("db"));

            dialer.send(streamRequest("db", false));

            assertThat(dialer.take(StreamRefused.class).error().code()).isEqualTo(6000);
            ProxyConnectionRequest request = silent.streamRequest();
            try (WireClient late = WireClient.connect(hasty)) {
                late.send(new ProxyRequest(TestAgent.details(request.secret()), request.streamId(), false));
                assertThat(late.take(ProxyResponse.class).error().code()).isEqualTo(4000);
            }
        }
    }

    @Test
    void failsTheDialWhenTheSessionIsLost() {
        try (WireClient dialer = dial("db", false)) {
            agent.streamRequest();

            agent.control.kill();

            assertThat(dialer.take(StreamRefused.class).error().code()).isEqualTo(6000);
        }
    }

    @Test
    void letsALateAgentInAndOutWhenTheCallerHasGone() throws Exception {
        agent.openHttp("web.t.localhost");
        RawHttps caller = RawHttps.connect(engine, "web.t.localhost");
        caller.send("GET / HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n");
        ProxyConnectionRequest request = agent.streamRequest();
        caller.close();
        await().untilAsserted(
                        () -> assertThat(engine.meter("rstream.engine.rendezvous.failures", "reason", "abandoned"))
                                .isPositive());

        try (WireClient back = agent.callBack(request, request.secret(), false)) {
            assertThat(back.take(ProxyResponse.class).error()).isNull();
            back.awaitClosed();
        }
    }

    @Test
    void passesHalfCloseInBothDirectionsOverTls() {
        try (WireClient dialer = dial("db", true)) {
            ProxyConnectionRequest request = agent.streamRequest();
            try (WireClient back = agent.callBack(request)) {
                dialer.write("question").shutdownOutput();
                assertThat(back.readText(8)).isEqualTo("question");
                assertThat(back.take()).isEqualTo(WireClient.END);

                back.write("answer").shutdownOutput();

                assertThat(dialer.readText(6)).isEqualTo("answer");
                assertThat(dialer.take()).isEqualTo(WireClient.END);
            }
        }
    }

    @Test
    void keepsStreamsWhenTheControlChannelIsLost() {
        try (WireClient dialer = dial("db", true)) {
            ProxyConnectionRequest request = agent.streamRequest();
            try (WireClient back = agent.callBack(request)) {
                dialer.write("a");
                assertThat(back.readText(1)).isEqualTo("a");

                agent.control.kill();
                await().until(() -> engine.meter("rstream.engine.sessions") == 0);

                dialer.write("b");
                assertThat(back.readText(1)).isEqualTo("b");
            }
        }
    }

    @Test
    void keepsManyDialersApart() {
        List<WireClient> dialers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            WireClient dialer = WireClient.connect(engine);
            dialers.add(dialer.sendThenRaw(streamRequest("db", true), "payload-%02d".formatted(i)));
        }

        for (int i = 0; i < 16; i++) {
            WireClient back = agent.callBack(agent.streamRequest());
            back.write(back.readText(10).replace("payload", "ANSWER!"));
        }

        for (int i = 0; i < 16; i++) {
            assertThat(dialers.get(i).readText(10)).isEqualTo("ANSWER!-%02d".formatted(i));
            dialers.get(i).close();
        }
    }

    @Test
    void refusesADialToNothingAndClosesASilentOne() {
        try (WireClient spoken = dial("nobody", false);
                WireClient silent = dial("nobody", true)) {
            assertThat(spoken.take(StreamRefused.class).error().code()).isEqualTo(3000);
            spoken.awaitClosed();
            silent.awaitClosed();
        }
    }

    @Test
    void refusesDatagramChannels() {
        try (WireClient dialer = WireClient.connect(engine)) {
            dialer.send(new StreamRequest(TestAgent.details(EngineFixture.token()), "db", false, true));

            WireError error = dialer.take(StreamRefused.class).error();

            assertThat(error).isEqualTo(new WireError(2000, "QUIC datagrams are not available for this tunnel."));
        }
    }

    @Test
    void refusesADialWithoutTokenOrPermission() {
        for (String token : new String[] {null, EngineFixture.token("x", "tunnels.resources.read-only")}) {
            try (WireClient dialer = WireClient.connect(engine)) {
                dialer.send(new StreamRequest(TestAgent.details(token), "db", false, false));

                assertThat(dialer.take(StreamRefused.class).error().code()).isEqualTo(1000);
            }
        }
    }

    @Test
    void dialsPublishedTunnelsByNameToo() {
        agent.open(TunnelProperties.builder()
                .protocol("http")
                .hostname("web.t.localhost")
                .name("web"));
        try (WireClient dialer = WireClient.connect(engine).sendThenRaw(streamRequest("web", true), "ping")) {
            try (WireClient back = agent.callBack(agent.streamRequest())) {
                assertThat(back.readText(4)).isEqualTo("ping");
            }
            assertThat(dialer.channel).isNotNull();
        }
    }

    @Test
    void limitsWaitingStreamsAndStreamsOfATunnel() {
        try (EngineFixture small = EngineFixture.start("limits: {streamsPerTunnel: 1}", "timeouts: {drain: 1s}");
                TestAgent owner = TestAgent.connect(small);
                WireClient first = WireClient.connect(small);
                WireClient second = WireClient.connect(small)) {
            owner.open(TunnelProperties.builder().publish(false).name("db"));
            first.send(streamRequest("db", true));
            owner.streamRequest();

            second.send(streamRequest("db", false));

            assertThat(second.take(StreamRefused.class).error().code()).isEqualTo(7000);
        }
    }

    @Test
    void leavesTheOtherTunnelsTheirStreamsWhenAnAgentNeverCallsBack() {
        try (EngineFixture small = EngineFixture.start(
                        "limits: {waitingStreams: 4, waitingStreamsPerTunnel: 3}",
                        "timeouts: {streamRequest: 60s, drain: 1s}");
                TestAgent silent = TestAgent.connect(small);
                TestAgent other = TestAgent.connect(small);
                WireClient tooMany = WireClient.connect(small);
                WireClient dialer = WireClient.connect(small)) {
            silent.open(TunnelProperties.builder().publish(false).name("silent"));
            other.open(TunnelProperties.builder().publish(false).name("db"));
            for (int i = 0; i < 3; i++) {
                var _ = WireClient.connect(small).send(streamRequest("silent", true));
                silent.streamRequest();
            }

            tooMany.send(streamRequest("silent", false));
            dialer.sendThenRaw(streamRequest("db", true), "ping");

            assertThat(tooMany.take(StreamRefused.class).error().code()).isEqualTo(7000);
            try (WireClient back = other.callBack(other.streamRequest())) {
                assertThat(back.readText(4)).isEqualTo("ping");
            }
        }
    }

    @Test
    void countsARequestWhoseCallerHasGoneUntilTheAgentAnswersIt() throws Exception {
        try (EngineFixture small = EngineFixture.start(
                        "limits: {waitingStreamsPerTunnel: 1}", "timeouts: {streamRequest: 60s, drain: 1s}");
                TestAgent owner = TestAgent.connect(small);
                WireClient early = WireClient.connect(small);
                WireClient later = WireClient.connect(small)) {
            owner.open(TunnelProperties.builder()
                    .protocol("http")
                    .hostname("web.t.localhost")
                    .name("web"));
            RawHttps caller = RawHttps.connect(small, "web.t.localhost");
            caller.send("GET / HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n");
            ProxyConnectionRequest abandoned = owner.streamRequest();
            caller.close();
            await().untilAsserted(
                            () -> assertThat(small.meter("rstream.engine.rendezvous.failures", "reason", "abandoned"))
                                    .isPositive());

            early.send(streamRequest("web", false));
            assertThat(early.take(StreamRefused.class).error().code()).isEqualTo(7000);
            try (WireClient back = owner.callBack(abandoned, abandoned.secret(), false)) {
                assertThat(back.take(ProxyResponse.class).error()).isNull();
            }
            later.sendThenRaw(streamRequest("web", true), "ping");

            try (WireClient back = owner.callBack(owner.streamRequest())) {
                assertThat(back.readText(4)).isEqualTo("ping");
            }
        }
    }

    private static WireClient dial(String idOrName, boolean zeroRtt) {
        WireClient dialer = WireClient.connect(engine);
        StreamRequest request = streamRequest(idOrName, zeroRtt);
        return zeroRtt
                ? dialer.sendThenRaw(request, "")
                : dialer.rawAfter(StreamAccepted.class).send(request);
    }

    private static StreamRequest streamRequest(String idOrName, boolean zeroRtt) {
        return new StreamRequest(TestAgent.details(EngineFixture.token()), idOrName, zeroRtt, false);
    }
}
