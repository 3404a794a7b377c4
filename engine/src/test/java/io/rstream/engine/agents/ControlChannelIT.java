package io.rstream.engine.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.Unpooled;
import io.rstream.engine.EngineFixture;
import io.rstream.engine.TestAgent;
import io.rstream.engine.WireClient;
import io.rstream.process.Secret;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.Liveness;
import io.rstream.protocol.Message;
import io.rstream.protocol.Message.CloseControlChannelRequest;
import io.rstream.protocol.Message.CloseControlChannelResponse;
import io.rstream.protocol.Message.CloseTunnelRequest;
import io.rstream.protocol.Message.CloseTunnelResponse;
import io.rstream.protocol.Message.Heartbeat;
import io.rstream.protocol.Message.OpenControlChannelAccepted;
import io.rstream.protocol.Message.OpenControlChannelRefused;
import io.rstream.protocol.Message.OpenControlChannelRequest;
import io.rstream.protocol.Message.OpenTunnelAccepted;
import io.rstream.protocol.Message.OpenTunnelRefused;
import io.rstream.protocol.Message.OpenTunnelRequest;
import io.rstream.protocol.Message.ProxyConnectionResponse;
import io.rstream.protocol.Message.ProxyRequest;
import io.rstream.protocol.Message.ServerMessage;
import io.rstream.protocol.Message.StreamRequest;
import io.rstream.protocol.Message.Unknown;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class ControlChannelIT {
    private static EngineFixture engine;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start(
                "timeouts: {firstFrame: 500ms, drain: 1s, reservation: 1ms}",
                "limits: {tunnelsPerSession: 30, sessions: 40}");
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @Test
    void acceptsAClientAndSaysWhoTheEngineIs() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            assertThat(agent.accepted.clientId()).startsWith("cli_");
            assertThat(agent.accepted.server()).isNotNull();
            assertThat(agent.accepted.liveness()).isNull();
        }
    }

    @Test
    void agreesOnLivenessAndAcknowledgesEveryHeartbeat() {
        try (TestAgent agent = TestAgent.connect(engine, EngineFixture.token(), Liveness.request(5_000))) {
            agent.control.send(new Heartbeat(1, 0)).send(new Heartbeat(2, 0));

            assertThat(agent.accepted.liveness()).isEqualTo(new Liveness(5_000, 15_000));
            assertThat(agent.answer()).isEqualTo(new Heartbeat(0, 1));
            assertThat(agent.answer()).isEqualTo(new Heartbeat(0, 2));
        }
    }

    @Test
    void keepsQuietWhenHeartbeatsComeThatNobodyAskedFor() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            agent.control.send(Heartbeat.EMPTY).send(Heartbeat.EMPTY).send(new CloseTunnelRequest("none"));

            assertThat(agent.answer()).isEqualTo(new CloseTunnelResponse("none"));
        }
    }

    @Test
    void ignoresMessagesThatMeanNothingToIt() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            agent.control
                    .send(new Unknown())
                    .send(new ServerMessage("hello"))
                    .send(new ProxyConnectionResponse("unknown", null))
                    .send(new CloseTunnelRequest("none"));

            assertThat(agent.answer()).isEqualTo(new CloseTunnelResponse("none"));
        }
    }

    @ParameterizedTest
    @CsvSource({"2.0.0, 2030", "0.9.1, 2030", "abc, 2020"})
    void refusesOtherProtocolVersions(String version, int code) {
        ClientDetails client = new ClientDetails(null, null, null, null, null, EngineFixture.token(), version);

        assertThat(refusal(client).code()).isEqualTo(code);
    }

    @Test
    void acceptsAClientThatDoesNotSayItsVersion() {
        ClientDetails client = new ClientDetails(null, null, null, null, null, EngineFixture.token(), null);
        try (WireClient control = WireClient.connect(engine)) {
            control.send(new OpenControlChannelRequest(client, null));

            assertThat(control.take()).isInstanceOf(OpenControlChannelAccepted.class);
        }
    }

    @Test
    void refusesAWrongTokenAndNoToken() {
        assertThat(refusal(TestAgent.details("a.b.c")).code()).isEqualTo(1000);
        assertThat(refusal(TestAgent.details(null)).message()).isEqualTo("A token is required.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"00010000", "FFFFFFFF00", "00000001FF", "00000005DEADBEEF00"})
    void closesOnFramesThatAreTooLongOrNotProtobuf(String hex) {
        try (WireClient client = WireClient.connect(engine)) {
            var _ = client.channel.writeAndFlush(
                    Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));

            client.awaitClosed();
        }
    }

    @Test
    void closesWhenTheFirstFrameIsNothingThatOpensAConnection() {
        try (WireClient client = WireClient.connect(engine)) {
            client.send(Heartbeat.EMPTY);

            client.awaitClosed();
        }
    }

    @Test
    void closesWhenNoFirstFrameComes() {
        try (WireClient client = WireClient.connect(engine)) {
            client.awaitClosed();
        }
    }

    @Test
    void closesAnOpenChannelOnABadFrameAndRemovesItsTunnels() {
        TestAgent agent = TestAgent.connect(engine);
        agent.openHttp("web.t.localhost");

        agent.control.write(HexFormat.of().parseHex("00010000"));

        assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);
        try (TestAgent other = TestAgent.connect(engine, EngineFixture.token("somebody else"), null)) {
            await().untilAsserted(() ->
                    assertThat(other.request(http("web.t.localhost"))).isInstanceOf(OpenTunnelAccepted.class));
        }
    }

    @Test
    void closesOnASecondOpening() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            agent.control.send(new OpenControlChannelRequest(TestAgent.details(EngineFixture.token()), null));

            assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);
        }
    }

    @Test
    void endsASessionInOrder() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            agent.openHttp("web.t.localhost");

            agent.control.send(new CloseControlChannelRequest());

            assertThat(agent.answer()).isEqualTo(new CloseControlChannelResponse());
            assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);
        }
        try (TestAgent other = TestAgent.connect(engine, EngineFixture.token("somebody else"), null)) {
            assertThat(other.request(http("web.t.localhost"))).isInstanceOf(OpenTunnelAccepted.class);
        }
    }

    @Test
    void answersManyRequestsAtOnceEachWithItsOwnId() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            Set<String> wanted = new HashSet<>();
            for (int i = 0; i < 24; i++) {
                wanted.add("request-" + i);
                var _ = agent.control.channel.write(new OpenTunnelRequest(
                        "request-" + i,
                        TunnelProperties.builder().publish(false).name("n" + i).build()));
            }
            agent.control.channel.flush();

            Set<String> answered = new HashSet<>();
            for (int i = 0; i < 24; i++) {
                answered.add(((OpenTunnelAccepted) agent.answer()).requestId());
            }
            assertThat(answered).isEqualTo(wanted);
        }
    }

    @Test
    void tellsAllEffectiveProperties() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            TunnelProperties properties = agent.open(http("Web.t.localhost").name("shop"));

            assertThat(properties.id()).startsWith("tun_");
            assertThat(properties.creationDate()).isNotNull();
            assertThat(properties.type()).isEqualTo("bytestream");
            assertThat(properties.publish()).isTrue();
            assertThat(properties.protocol()).isEqualTo("http");
            assertThat(properties.name()).isEqualTo("shop");
            assertThat(properties.hostname()).isEqualTo("web.t.localhost");
            assertThat(properties.port()).isEqualTo(engine.port());
            assertThat(properties.host()).isEqualTo("web.t.localhost:" + engine.port());
        }
    }

    @Test
    void allocatesTheSameNameAgainForTheSameTunnel() {
        String first;
        try (TestAgent agent = TestAgent.connect(engine)) {
            first = agent.open(TunnelProperties.builder().name("stable")).hostname();
        }

        try (TestAgent agent = TestAgent.connect(engine)) {
            assertThat(agent.open(TunnelProperties.builder().name("stable")).hostname())
                    .isEqualTo(first)
                    .matches("r[0-9a-f]{8}-edge\\.t\\.localhost");
            assertThat(agent.open(TunnelProperties.builder()).hostname()).isNotEqualTo(first);
        }
    }

    @Test
    void givesItsOwnNameForAGeneratedOneOfAnotherDomain() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            assertThat(agent.openHttp("r1a2b3c4d-127.t.0.0.1").hostname()).endsWith("-edge.t.localhost");
        }
    }

    @Test
    void closesATunnelAndAnswersForUnknownOnesToo() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            String id = agent.openHttp("web.t.localhost").id();

            agent.control.send(new CloseTunnelRequest(id)).send(new CloseTunnelRequest(id));

            assertThat(agent.answer()).isEqualTo(new CloseTunnelResponse(id));
            assertThat(agent.answer()).isEqualTo(new CloseTunnelResponse(id));
            assertThat(agent.openHttp("web.t.localhost").id()).isNotEqualTo(id);
        }
    }

    @Test
    void refusesATunnelToACredentialWithoutThePermission() {
        String token = EngineFixture.token("reader", "tunnels.resources.read-only");
        try (TestAgent agent = TestAgent.connect(engine, token, null)) {
            assertThat(refused(agent.request(http("web.t.localhost"))).code()).isEqualTo(1000);
        }
    }

    @Test
    void limitsTheTunnelsOfASession() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            for (int i = 0; i < 30; i++) {
                agent.open(TunnelProperties.builder().publish(false));
            }

            assertThat(refused(agent.request(TunnelProperties.builder().publish(false)))
                            .code())
                    .isEqualTo(7000);
        }
    }

    @Test
    void limitsSessions() {
        try (EngineFixture small = EngineFixture.start("limits: {sessions: 1}", "timeouts: {drain: 1s}");
                TestAgent _ = TestAgent.connect(small);
                WireClient second = WireClient.connect(small)) {
            second.send(new OpenControlChannelRequest(TestAgent.details(EngineFixture.token()), null));

            assertThat(second.take(OpenControlChannelRefused.class).error().code())
                    .isEqualTo(7000);
        }
    }

    @Test
    void forgetsASessionThatIsSilentForTooLongAndSurvivesAShorterSilence() {
        TestAgent agent = TestAgent.connect(engine, EngineFixture.token(), Liveness.request(1_000));
        agent.openHttp("web.t.localhost");
        agent.control.send(new Heartbeat(1, 0));

        // Nothing is sent from here on; the time-out that was agreed on is 15 s.
        assertThat(agent.answer()).isEqualTo(new Heartbeat(0, 1));
        await().during(Duration.ofMillis(4_200)).until(agent::hasNoAnswer);
        assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);
        try (TestAgent other = TestAgent.connect(engine, EngineFixture.token("somebody else"), null)) {
            assertThat(other.openHttp("web.t.localhost").hostname()).isEqualTo("web.t.localhost");
        }
    }

    @Test
    void refusesPropertiesThatAreLargerThanItsAnswerMayBe() {
        Map<String, String> labels = new HashMap<>();
        for (int i = 0; i < 18; i++) {
            labels.put("label-" + i, "v".repeat(3_600));
        }
        try (TestAgent agent = TestAgent.connect(engine)) {
            WireError error = refused(
                    agent.request(TunnelProperties.builder().publish(false).labels(labels)));

            assertThat(error.code()).isEqualTo(2000);
            assertThat(error.message()).contains("at most 16384 are allowed");
        }
    }

    @Test
    void refusesALongRequestIdAndEndsASessionThatItCannotAnswer() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            agent.control.send(new OpenTunnelRequest("x".repeat(2_000), TunnelProperties.EMPTY));
            OpenTunnelRefused refused = (OpenTunnelRefused) agent.answer();

            agent.control.send(new OpenTunnelRequest("x".repeat(65_500), TunnelProperties.EMPTY));

            assertThat(refused.error().code()).isEqualTo(2000);
            assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);
        }
    }

    @Test
    void endsASessionWhenItsTokenExpires() {
        String token = new Tokens(Secret.of(EngineFixture.SECRET), Clock.systemUTC())
                .issue("short", Duration.ofSeconds(2), null)
                .reveal();
        try (TestAgent agent = TestAgent.connect(engine, token, null)) {
            agent.openHttp("short.t.localhost");

            assertThat(agent.answer()).isEqualTo(new ServerMessage("The token has expired."));
            assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);
        }
    }

    static Stream<Message> refusedFirstMessages() {
        return Stream.of(
                new OpenControlChannelRequest(TestAgent.details("a.b.c"), null),
                new OpenControlChannelRequest(
                        new ClientDetails(null, null, null, null, null, EngineFixture.token(), "9.0.0"), null),
                new ProxyRequest(TestAgent.details("wrong"), "unknown", false),
                new ProxyRequest(TestAgent.details("wrong"), "unknown", true),
                new StreamRequest(TestAgent.details(EngineFixture.token()), "unknown", false, false),
                Heartbeat.EMPTY);
    }

    @ParameterizedTest
    @MethodSource("refusedFirstMessages")
    void swallowsGarbageBehindARefusedFirstMessage(Message first) {
        ListAppender<ILoggingEvent> warnings = new ListAppender<>();
        Logger netty = (Logger) LoggerFactory.getLogger("io.netty.channel");
        warnings.start();
        netty.addAppender(warnings);
        try (WireClient client = WireClient.connect(engine)) {
            client.channel.eventLoop().execute(() -> {
                var _ = client.channel.write(first);
                var _ = client.channel.writeAndFlush(
                        Unpooled.wrappedBuffer(HexFormat.of().parseHex("00000005DEADBEEF00")));
            });

            Object last = client.take();
            while (!last.equals(WireClient.END) && !last.equals(WireClient.CLOSED)) {
                last = client.take();
            }

            assertThat(warnings.list).isEmpty();
        } finally {
            netty.detachAppender(warnings);
        }
    }

    private static WireError refusal(ClientDetails client) {
        try (WireClient control = WireClient.connect(engine)) {
            control.send(new OpenControlChannelRequest(client, null));
            WireError error = control.take(OpenControlChannelRefused.class).error();
            control.awaitClosed();
            return error;
        }
    }

    private static WireError refused(Object answer) {
        assertThat(answer).isInstanceOf(OpenTunnelRefused.class);
        return ((OpenTunnelRefused) answer).error();
    }

    private static TunnelProperties.Builder http(String hostname) {
        return TunnelProperties.builder().protocol("http").hostname(hostname);
    }
}
