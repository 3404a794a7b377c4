package io.rstream.agent.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.rstream.agent.config.AgentConfig.Mtls;
import io.rstream.agent.fake.AgentUnderTest;
import io.rstream.agent.fake.AgentUnderTest.Setup;
import io.rstream.agent.fake.FakeEngine;
import io.rstream.agent.fake.FakeService;
import io.rstream.agent.fake.TestCertificates;
import io.rstream.protocol.Liveness;
import io.rstream.protocol.Message;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Control channels over real TLS: opening, liveness, refusals, loss, orderly end. */
class TunnelSessionIT {
    private static final SessionTimings SHORT = new SessionTimings(
            Duration.ofSeconds(5), Duration.ofMillis(300), Duration.ofMillis(300), Duration.ofMillis(300), 1_000);

    @TempDir
    private Path directory;

    private TestCertificates certificates;
    private FakeEngine engine;
    private FakeService service;

    @BeforeEach
    void start() throws Exception {
        certificates = TestCertificates.in(directory);
        engine = FakeEngine.start(certificates);
        service = FakeService.echo();
    }

    @AfterEach
    void stop() throws Exception {
        engine.close();
        service.close();
    }

    private Setup setup() {
        return Setup.of(engine, service.port(), certificates);
    }

    @Tag("parity-112")
    @Test
    void opensTheTunnelThatIsConfigured() {
        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));

            TunnelProperties wanted =
                    engine.received(Message.OpenTunnelRequest.class).getFirst().properties();
            assertThat(wanted.name()).isEqualTo("shop-web");
            assertThat(wanted.protocol()).isEqualTo("http");
            assertThat(wanted.publish()).isTrue();
            assertThat(wanted.labels()).containsEntry("a", "b");
            assertThat(engine.lastClient().token()).isEqualTo("good-token");
            assertThat(engine.lastClient().protocolVersion()).isEqualTo("1.4.5");
            assertThat(agent.online().getFirst().tunnel())
                    .isEqualTo(new OnlineTunnel(FakeEngine.TUNNEL_ID, "https://web.t.example.com"));
        }
    }

    @Test
    void sendsNumberedHeartbeatsWhenLivenessIsAgreed() {
        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() ->
                    assertThat(engine.received(Message.Heartbeat.class)).contains(new Message.Heartbeat(1, 0)));

            assertThat(engine.received(Message.OpenControlChannelRequest.class)
                            .getFirst()
                            .liveness())
                    .isEqualTo(new Liveness(5_000, 0));
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Test
    void sendsEmptyHeartbeatsToAnEngineThatKnowsNoLiveness() {
        engine.knowsLiveness = false;

        try (AgentUnderTest agent = AgentUnderTest.start(setup().withTimings(SHORT))) {
            await().untilAsserted(() ->
                    assertThat(engine.received(Message.Heartbeat.class)).contains(Message.Heartbeat.EMPTY));

            assertThat(agent.online()).hasSize(1);
        }
    }

    @Test
    void givesUpAnEngineThatFallsSilentAndComesBack() {
        engine.liveness = new Liveness(1_000, 1_000);
        engine.acknowledges = false;

        try (AgentUnderTest agent = AgentUnderTest.start(setup().withTimings(SHORT))) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst()).startsWith("control channel closed: nothing came from the peer for");
            await().untilAsserted(() -> assertThat(agent.online()).hasSizeGreaterThan(1));
        }
    }

    @Test
    void refusesALivenessThatDoesNotFitItsRequest() {
        engine.liveness = new Liveness(7_000, 15_000);

        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst())
                    .startsWith("connect control channel: engine answered with heartbeat interval 7000 ms");
        }
    }

    @Tag("parity-148")
    @Test
    void saysThatTheTokenWasRefused() {
        try (AgentUnderTest agent = AgentUnderTest.start(setup().withToken("wrong-token"))) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst())
                    .isEqualTo("connect control channel: engine error 1000: The token is not valid.")
                    .doesNotContain("wrong-token");
            assertThat(agent.events)
                    .contains(new TunnelEvent.Disconnected(agent.errors().getFirst(), FailureKind.CREDENTIAL_REFUSED));
        }
    }

    @Test
    void triesAgainWhileTheHostnameIsTaken() {
        engine.tunnelRefusal = new WireError(WireError.INVALID_REQUEST, WireError.HOSTNAME_IN_USE);
        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());
            assertThat(agent.errors().getFirst())
                    .isEqualTo("create tunnel: engine error 2000: Hostname is already in use.");
            assertThat(agent.events)
                    .contains(new TunnelEvent.Disconnected(agent.errors().getFirst(), FailureKind.CLAIMED));

            engine.tunnelRefusal = null;

            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));
        }
    }

    @Test
    void waitsForTheOpeningAnswerNoLongerThanItMay() {
        engine.answersOpening = false;

        try (AgentUnderTest agent = AgentUnderTest.start(setup().withTimings(SHORT))) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst())
                    .isEqualTo("connect control channel: the engine did not answer within 300ms");
        }
    }

    @Test
    void waitsForTheTunnelNoLongerThanItMay() {
        engine.answersTunnel = false;

        try (AgentUnderTest agent = AgentUnderTest.start(setup().withTimings(SHORT))) {
            await().untilAsserted(() ->
                    assertThat(agent.errors()).contains("create tunnel: the engine did not answer within 300ms"));
        }
    }

    @Test
    void comesBackAfterTheControlChannelIsLost() {
        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));

            engine.cutControl();

            await().untilAsserted(() -> assertThat(agent.online()).hasSize(2));
            assertThat(agent.errors()).containsExactly("control channel closed: the engine closed the connection");
        }
    }

    @Test
    void comesBackAfterTheEngineClosedTheTunnel() {
        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));

            engine.send(new Message.CloseTunnelResponse(FakeEngine.TUNNEL_ID));

            await().untilAsserted(() -> assertThat(agent.online()).hasSize(2));
            assertThat(agent.errors()).containsExactly("the engine closed the tunnel");
        }
    }

    @Test
    void ignoresWhatItNeedNotKnow() {
        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));

            engine.send(new Message.ServerMessage("maintenance at noon"));
            engine.send(new Message.Unknown());
            engine.send(new Message.CloseTunnelResponse("another tunnel"));
            engine.send(new Message.ProxyConnectionRequest("another tunnel", "a", null, null, null));

            await().untilAsserted(() -> assertThat(engine.received(Message.ProxyConnectionResponse.class))
                    .containsExactly(new Message.ProxyConnectionResponse(
                            "a",
                            new WireError(
                                    WireError.SERVICE_UNAVAILABLE, "proxy connection references an unknown tunnel"))));
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Test
    void treatsAStreamWithoutIdAsABrokenChannel() {
        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));

            engine.send(new Message.ProxyConnectionRequest(FakeEngine.TUNNEL_ID, "", null, null, null));

            await().untilAsserted(() -> assertThat(agent.errors())
                    .containsExactly("control channel closed: the engine asked for a stream without a stream id"));
        }
    }

    @Tag("parity-147")
    @Test
    void endsInOrderAndLetsOpenStreamsFinish() throws Exception {
        try (AgentUnderTest agent = AgentUnderTest.start(setup())) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));
            Socket caller = engine.dial();
            caller.getOutputStream().write("be".getBytes(UTF_8));
            assertThat(caller.getInputStream().readNBytes(2)).isEqualTo("be".getBytes(UTF_8));

            var ended = agent.terminate();

            await().untilAsserted(() -> assertThat(engine.received(Message.CloseTunnelRequest.class))
                    .hasSize(1));
            engine.send(new Message.ProxyConnectionRequest(FakeEngine.TUNNEL_ID, "late", "s", null, null));
            await().untilAsserted(() -> assertThat(engine.received(Message.ProxyConnectionResponse.class))
                    .contains(new Message.ProxyConnectionResponse(
                            "late", new WireError(WireError.SERVICE_UNAVAILABLE, "the agent is shutting down"))));
            caller.getOutputStream().write("fore".getBytes(UTF_8));
            assertThat(caller.getInputStream().readNBytes(4)).isEqualTo("fore".getBytes(UTF_8));
            assertThat(ended.isDone()).isFalse();
            caller.shutdownOutput();
            assertThat(caller.getInputStream().read()).isEqualTo(-1);
            await().until(ended::isDone);
            assertThat(engine.received(Message.CloseControlChannelRequest.class))
                    .hasSize(1);
            assertThat(agent.events.getLast()).isEqualTo(new TunnelEvent.ShuttingDown());
        }
    }

    @Test
    void replacesItsSessionWhenTheTokenChangesAndKeepsOpenStreams(@TempDir Path directory) throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "good-token");
        try (AgentUnderTest agent = AgentUnderTest.start(setup().withTokenFile(token))) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));
            Socket old = engine.dial();
            old.getOutputStream().write("be".getBytes(UTF_8));
            assertThat(old.getInputStream().readNBytes(2)).isEqualTo("be".getBytes(UTF_8));
            engine.acceptedToken = "renewed-token";

            Files.writeString(token, "renewed-token");

            await().untilAsserted(() -> assertThat(engine.received(Message.CloseTunnelRequest.class))
                    .hasSize(1));
            assertThat(engine.lastClient().token()).isEqualTo("renewed-token");
            assertThat(engine.received)
                    .filteredOn(message -> message instanceof Message.OpenTunnelRequest
                            || message instanceof Message.CloseTunnelRequest)
                    .last()
                    .isInstanceOf(Message.CloseTunnelRequest.class);
            try (Socket caller = engine.dial()) {
                caller.getOutputStream().write('n');
                assertThat(caller.getInputStream().read()).isEqualTo('n');
            }
            old.getOutputStream().write("fore".getBytes(UTF_8));
            assertThat(old.getInputStream().readNBytes(4)).isEqualTo("fore".getBytes(UTF_8));
            assertThat(engine.received(Message.CloseControlChannelRequest.class))
                    .isEmpty();
            old.close();
            await().untilAsserted(() -> assertThat(engine.received(Message.CloseControlChannelRequest.class))
                    .hasSize(1));
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Test
    void goesOnWithItsTokenWhileAnotherOneIsRefused(@TempDir Path directory) throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "good-token");
        try (AgentUnderTest agent = AgentUnderTest.start(setup().withTokenFile(token))) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));

            Files.writeString(token, "wrong-token");

            await().untilAsserted(() ->
                    assertThat(agent.online().getLast().credentialProblem()).contains("The token is not valid."));
            try (Socket caller = engine.dial()) {
                caller.getOutputStream().write('a');
                assertThat(caller.getInputStream().read()).isEqualTo('a');
            }
            assertThat(engine.received(Message.CloseTunnelRequest.class)).isEmpty();
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Test
    void letsOpenStreamsFinishWhenItsNewDialFailsMeanwhile() throws Exception {
        SessionTimings shortDial = new SessionTimings(
                Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofSeconds(20), 5_000);
        try (AgentUnderTest agent = AgentUnderTest.start(setup().withTimings(shortDial))) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));
            Socket caller = engine.dial();
            caller.getOutputStream().write('a');
            assertThat(caller.getInputStream().read()).isEqualTo('a');
            engine.answersTls = false;
            engine.cutControl();
            await().until(() -> !engine.silent.isEmpty());

            var ended = agent.terminate();

            await().until(() -> agent.events.getLast().equals(new TunnelEvent.ShuttingDown())
                    && engine.silent.stream().noneMatch(Channel::isActive));
            assertThat(ended.isDone()).isFalse();
            caller.getOutputStream().write('b');
            assertThat(caller.getInputStream().read()).isEqualTo('b');
            caller.close();
            await().until(ended::isDone);
        }
    }

    @Tag("parity-147")
    @Test
    void cutsStreamsThatDoNotEndInTime() throws Exception {
        engine.closesTunnels = false;
        try (AgentUnderTest agent = AgentUnderTest.start(setup().withTimings(SHORT))) {
            await().untilAsserted(() -> assertThat(agent.online()).isNotEmpty());
            Socket caller = engine.dial();
            await().untilAsserted(() -> assertThat(agent.active.opened()).isEqualTo(1));

            var ended = agent.terminate();

            await().until(ended::isDone);
            assertThat(caller.getInputStream().read()).isEqualTo(-1);
            await().untilAsserted(() -> assertThat(agent.active.count()).isZero());
        }
    }

    @Tag("parity-105")
    @Test
    void presentsAClientCertificateInsteadOfAToken() {
        Mtls files = new Mtls(
                certificates.clientFiles().certificateChain().toString(),
                certificates.clientFiles().privateKey().toString(),
                certificates.authorityFile().toString());

        try (AgentUnderTest agent = AgentUnderTest.start(setup().withMtls(files))) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));

            assertThat(engine.lastClient().token()).isNull();
            var tls = engine.controls.getFirst().pipeline().get(io.netty.handler.ssl.SslHandler.class);
            assertThat(tls.engine().getSession())
                    .satisfies(
                            session -> assertThat(session.getPeerCertificates()).isNotEmpty());
        }
    }

    @Test
    void replacesItsSessionWhenTheCertificateIsRenewed() throws Exception {
        Path chain = certificates.clientFiles().certificateChain();
        Mtls files = new Mtls(
                chain.toString(),
                certificates.clientFiles().privateKey().toString(),
                certificates.authorityFile().toString());
        try (AgentUnderTest agent = AgentUnderTest.start(setup().withMtls(files))) {
            await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));

            Files.writeString(chain, Files.readString(chain) + "\n");

            await().untilAsserted(() -> assertThat(engine.received(Message.CloseControlChannelRequest.class))
                    .hasSize(1));
            assertThat(agent.online()).hasSize(2);
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Test
    void saysThatAnotherKindOfServerAnswered() throws Exception {
        try (FakeEngine other = FakeEngine.withoutAlpn(certificates);
                AgentUnderTest agent = AgentUnderTest.start(Setup.of(other, service.port(), certificates))) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst())
                    .isEqualTo(
                            "connect control channel: %s answered, but does not speak rstrm/1; connection.engine must"
                                            .formatted(other.address())
                                    + " name an rstream engine");
        }
    }

    @Test
    void saysThatTheOtherEndDoesNotSpeakTls() throws Exception {
        try (FakeService plain = FakeService.start(connection -> connection
                        .getOutputStream()
                        .write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".getBytes(UTF_8)));
                AgentUnderTest agent =
                        AgentUnderTest.start(Setup.of("localhost:" + plain.port(), service.port(), certificates))) {
            await().untilAsserted(() -> assertThat(agent.errors())
                    .contains("connect control channel: TLS with localhost:%d: the other end does not speak TLS"
                            .formatted(plain.port())));
        }
    }

    @Test
    void waitsForTlsNoLongerThanItMay() throws Exception {
        SessionTimings impatient =
                new SessionTimings(Duration.ofMillis(300), SHORT.answer(), SHORT.close(), SHORT.drain(), 1_000);
        try (FakeService silent = FakeService.start(
                        connection -> connection.getInputStream().readAllBytes());
                AgentUnderTest agent =
                        AgentUnderTest.start(Setup.of("localhost:" + silent.port(), service.port(), certificates)
                                .withTimings(impatient))) {
            await().untilAsserted(() -> assertThat(agent.errors())
                    .contains("connect control channel: TLS with localhost:%d: timed out after 300ms"
                            .formatted(silent.port())));
        }
    }

    @Tag("parity-105")
    @Test
    void refusesAnEngineThatWantsTlsBelow12() throws Exception {
        // ServerHello of TLS 1.1: record, handshake and message header, random, no session, a cipher suite, no
        // compression.
        byte[] hello = HexFormat.of().parseHex("160302002a" + "02000026" + "0302" + "00".repeat(32) + "00c01300");
        Mtls files = new Mtls(
                certificates.clientFiles().certificateChain().toString(),
                certificates.clientFiles().privateKey().toString(),
                certificates.authorityFile().toString());
        try (FakeService old = FakeService.start(connection -> {
                    connection.getInputStream().read();
                    connection.getOutputStream().write(hello);
                    connection.getInputStream().readAllBytes();
                });
                AgentUnderTest agent =
                        AgentUnderTest.start(Setup.of("localhost:" + old.port(), service.port(), certificates)
                                .withMtls(files))) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst())
                    .startsWith("connect control channel: TLS with localhost:%d: ".formatted(old.port()))
                    .containsIgnoringCase("protocol version");
        }
    }

    @Test
    void saysThatNobodyListens() {
        int port = engine.port();
        engine.close();

        try (AgentUnderTest agent = AgentUnderTest.start(Setup.of("localhost:" + port, service.port(), certificates))) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst())
                    .isEqualTo("connect control channel: dial localhost:%d: connection refused".formatted(port));
        }
    }

    @Test
    void doesNotTalkToAnEngineWhoseCertificateItDoesNotTrust(@TempDir Path elsewhere) {
        TestCertificates others = TestCertificates.in(elsewhere);

        try (AgentUnderTest agent = AgentUnderTest.start(Setup.of(engine, service.port(), others))) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst())
                    .startsWith("connect control channel: TLS with " + engine.address() + ": ");
            assertThat(engine.received).isEmpty();
        }
    }
}
