package io.rstream.agent.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.agent.fake.AgentUnderTest;
import io.rstream.agent.fake.AgentUnderTest.Setup;
import io.rstream.agent.fake.FakeEngine;
import io.rstream.agent.fake.FakeService;
import io.rstream.agent.fake.TestCertificates;
import io.rstream.protocol.Message;
import io.rstream.protocol.WireError;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams from a caller through engine and agent to a service, over real sockets and TLS. */
class StreamsIT {
    private static final Duration IDLE = Duration.ofHours(1);

    private static final int MEBIBYTES = 64;

    @TempDir
    private Path directory;

    private TestCertificates certificates;
    private FakeEngine engine;

    @BeforeEach
    void start() throws Exception {
        certificates = TestCertificates.in(directory);
        engine = FakeEngine.start(certificates);
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    private AgentUnderTest online(Setup setup) {
        AgentUnderTest agent = AgentUnderTest.start(setup);
        await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));
        return agent;
    }

    private Setup setup(FakeService service) {
        return Setup.of(engine, service.port(), certificates);
    }

    @Tag("parity-146")
    @Test
    void aCallerMayEndHisSideFirst() throws Exception {
        try (FakeService service = FakeService.start(connection -> {
                    byte[] question = connection.getInputStream().readAllBytes();
                    connection.getOutputStream().write(("heard " + new String(question, UTF_8)).getBytes(UTF_8));
                });
                AgentUnderTest agent = online(setup(service));
                Socket caller = engine.dial()) {
            caller.getOutputStream().write("hello".getBytes(UTF_8));
            caller.shutdownOutput();

            byte[] answer = caller.getInputStream().readAllBytes();

            assertThat(answer).asString().isEqualTo("heard hello");
            await().untilAsserted(() -> assertThat(agent.active.count()).isZero());
        }
    }

    @Tag("parity-146")
    @Test
    void aServiceMayEndItsSideFirst() throws Exception {
        StringBuilder heard = new StringBuilder();
        CountDownLatch done = new CountDownLatch(1);
        try (FakeService service = FakeService.start(connection -> {
                    connection.getOutputStream().write("banner".getBytes(UTF_8));
                    connection.shutdownOutput();
                    heard.append(new String(connection.getInputStream().readAllBytes(), UTF_8));
                    done.countDown();
                });
                AgentUnderTest agent = online(setup(service));
                Socket caller = engine.dial()) {
            byte[] banner = caller.getInputStream().readAllBytes();
            caller.getOutputStream().write("still here".getBytes(UTF_8));
            caller.shutdownOutput();

            done.await();

            assertThat(banner).asString().isEqualTo("banner");
            assertThat(heard).hasToString("still here");
            assertThat(agent.active.failedDials()).isZero();
        }
    }

    @Test
    void carriesALotUnchangedInBothDirections() throws Exception {
        MessageDigest sent = MessageDigest.getInstance("SHA-256");
        MessageDigest returned = MessageDigest.getInstance("SHA-256");
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service));
                Socket caller = engine.dial()) {
            Thread writer = Thread.ofVirtual().start(() -> writeMuch(caller, sent));

            long bytes = new DigestInputStream(caller.getInputStream(), returned)
                    .transferTo(OutputStream.nullOutputStream());

            writer.join();
            assertThat(bytes).isEqualTo((long) MEBIBYTES << 20);
            assertThat(returned.digest()).isEqualTo(sent.digest());
            assertThat(agent.errors()).isEmpty();
        }
    }

    private static void writeMuch(Socket caller, MessageDigest digest) {
        try {
            byte[] chunk = new byte[1 << 20];
            OutputStream output = new DigestOutputStream(caller.getOutputStream(), digest);
            Random random = new Random(7);
            for (int i = 0; i < MEBIBYTES; i++) {
                random.nextBytes(chunk);
                output.write(chunk);
            }
            caller.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void presentsTheStreamsSecretAndNothingElse() throws Exception {
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service));
                Socket caller = engine.dial()) {
            await().untilAsserted(() -> assertThat(agent.active.opened()).isEqualTo(1));

            Message.ProxyRequest request = engine.proxyRequests.getFirst();

            assertThat(request.client().token()).isEqualTo(FakeEngine.secretOf(request.streamId()));
            assertThat(request.client().agent()).isEqualTo("test");
            assertThat(request.zeroRtt()).isTrue();
            await().untilAsserted(() -> assertThat(engine.received(Message.ProxyConnectionResponse.class))
                    .containsExactly(new Message.ProxyConnectionResponse(request.streamId(), null)));
            assertThat(caller.isConnected()).isTrue();
        }
    }

    @Test
    void presentsNoTokenWhenTheStreamHasNoSecret() throws Exception {
        engine.sendsSecret = false;
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service));
                Socket caller = engine.dial()) {
            await().untilAsserted(() -> assertThat(agent.active.opened()).isEqualTo(1));

            assertThat(engine.proxyRequests.getFirst().client().token()).isNull();
            assertThat(caller.isConnected()).isTrue();
        }
    }

    @Tag("parity-115")
    @Test
    void tellsTheEngineWhenTheServiceCannotBeDialed() throws Exception {
        FakeService service = FakeService.echo();
        service.close();
        try (AgentUnderTest agent = online(setup(service));
                Socket caller = engine.dial()) {
            assertThat(caller.getInputStream().read()).isEqualTo(-1);

            WireError error = engine.received(Message.ProxyConnectionResponse.class)
                    .getFirst()
                    .error();

            assertThat(error)
                    .isEqualTo(new WireError(
                            WireError.SERVICE_UNAVAILABLE,
                            "dial 127.0.0.1:%d: connection refused".formatted(service.port())));
            assertThat(engine.proxyRequests).isEmpty();
            assertThat(agent.active.failedDials()).isEqualTo(1);
            assertThat(agent.active.count()).isZero();
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Tag("parity-146")
    @Test
    void saysThatTheServiceIsAwayAndWhenAStreamReachesItAgain() throws Exception {
        FakeService service = FakeService.echo();
        service.close();
        try (AgentUnderTest agent = online(setup(service))) {
            for (int i = 0; i < 3; i++) {
                try (Socket caller = engine.dial()) {
                    assertThat(caller.getInputStream().read()).isEqualTo(-1);
                }
            }
            await().untilAsserted(() -> assertThat(agent.targetErrors)
                    .containsExactly("cannot connect to 127.0.0.1:%d: connection refused".formatted(service.port())));
            try (ServerSocket back = new ServerSocket(service.port(), 1, InetAddress.getLoopbackAddress());
                    Socket caller = engine.dial()) {
                assertThat(back.accept().isConnected()).isTrue();
                await().untilAsserted(
                                () -> assertThat(agent.targetErrors).hasSize(2).endsWith(""));
                assertThat(caller.isConnected()).isTrue();
            }
        }
    }

    @Test
    void triesTheEngineOnceMoreAfterATimeOut() throws Exception {
        StreamTimings timings = new StreamTimings(Duration.ofMillis(300), Duration.ofSeconds(20), IDLE);
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service).withStreamTimings(timings))) {
            engine.answersTls = false;
            Socket caller = engine.dial();

            assertThat(caller.getInputStream().read()).isEqualTo(-1);

            assertThat(engine.silent).hasSize(2);
            assertThat(firstRefusal()).isEqualTo("TLS with %s: timed out after 300ms".formatted(engine.address()));
            await().untilAsserted(() -> assertThat(agent.active.count()).isZero());
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Test
    void endsAnOpeningBeforeTheEngineGivesUp() throws Exception {
        StreamTimings timings = new StreamTimings(Duration.ofSeconds(60), Duration.ofMillis(400), IDLE);
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service).withStreamTimings(timings))) {
            engine.answersTls = false;
            Socket caller = engine.dial();

            assertThat(caller.getInputStream().read()).isEqualTo(-1);

            assertThat(engine.silent).hasSize(1);
            assertThat(firstRefusal()).startsWith("TLS with " + engine.address() + ": timed out after ");
            assertThat(agent.errors()).isEmpty();
        }
        assertThat(StreamTimings.DEFAULT.attempt()).isEqualTo(Duration.ofSeconds(10));
        assertThat(StreamTimings.DEFAULT.opening()).isLessThan(Duration.ofSeconds(30));
    }

    @Tag("parity-147")
    @Test
    void closesAStreamThatRestsForTooLong() throws Exception {
        StreamTimings timings =
                new StreamTimings(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofMillis(500));
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service).withStreamTimings(timings))) {
            Socket caller = engine.dial();
            caller.getOutputStream().write('a');
            assertThat(caller.getInputStream().read()).isEqualTo('a');

            assertThat(caller.getInputStream().read()).isEqualTo(-1);

            await().untilAsserted(() -> assertThat(agent.active.count()).isZero());
            assertThat(agent.errors()).isEmpty();
        }
        assertThat(StreamTimings.DEFAULT.idle()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void doesNotOpenWhatHasWaitedTooLong() throws Exception {
        StreamTimings timings = new StreamTimings(Duration.ofSeconds(1), Duration.ofMillis(1_200), IDLE);
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(
                        setup(service).withLimits(new StreamLimits(1, 10, 10)).withStreamTimings(timings))) {
            engine.answersTls = false;
            Socket first = engine.dial();
            Socket second = engine.dial();

            assertThat(first.getInputStream().read()).isEqualTo(-1);
            assertThat(second.getInputStream().read()).isEqualTo(-1);

            assertThat(engine.received(Message.ProxyConnectionResponse.class)
                            .getLast()
                            .error()
                            .message())
                    .isEqualTo("the agent was busy for too long to open the stream");
            assertThat(service.accepted()).isEqualTo(1);
            assertThat(agent.active.failed()).isEqualTo(1);
            assertThat(agent.active.refused()).isEqualTo(1);
        }
    }

    @Tag("parity-115")
    @Test
    void givesUpAServiceThatDoesNotAnswerAndKeepsItsOtherStreams() throws Exception {
        // One connection may wait to be accepted; the system answers no more than a few.
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<SocketChannel> queue = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                SocketChannel waiting = SocketChannel.open();
                waiting.configureBlocking(false);
                waiting.connect(full.getLocalSocketAddress());
                queue.add(waiting);
            }
            StreamTimings timings = new StreamTimings(Duration.ofSeconds(10), Duration.ofMillis(500), IDLE);
            try (AgentUnderTest agent = online(
                            Setup.of(engine, full.getLocalPort(), certificates).withStreamTimings(timings));
                    Socket caller = engine.dial()) {
                assertThat(caller.getInputStream().read()).isEqualTo(-1);

                assertThat(firstRefusal()).startsWith("dial 127.0.0.1:" + full.getLocalPort() + ": timed out");
                assertThat(agent.active.failedDials()).isEqualTo(1);
                assertThat(agent.errors()).isEmpty();
                assertThat(engine.connections).hasValue(1);
            }
            for (SocketChannel waiting : queue) {
                waiting.close();
            }
        }
        assertThat(Upstream.TIMEOUT).isEqualTo(Duration.ofSeconds(10));
    }

    private String firstRefusal() {
        return engine.received(Message.ProxyConnectionResponse.class)
                .getFirst()
                .error()
                .message();
    }

    @Test
    void openStreamsSurviveTheControlChannel() throws Exception {
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service));
                Socket caller = engine.dial()) {
            caller.getOutputStream().write('a');
            assertThat(caller.getInputStream().read()).isEqualTo('a');

            engine.cutControl();

            await().untilAsserted(() -> assertThat(agent.online()).hasSize(2));
            caller.getOutputStream().write('b');
            assertThat(caller.getInputStream().read()).isEqualTo('b');
        }
    }

    @Test
    void servesManyStreamsAtOnce() throws Exception {
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service))) {
            List<Socket> callers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                callers.add(engine.dial());
            }

            for (Socket caller : callers) {
                caller.getOutputStream().write('x');
            }

            for (Socket caller : callers) {
                assertThat(caller.getInputStream().read()).isEqualTo('x');
                caller.close();
            }
            await().untilAsserted(() -> assertThat(agent.active.count()).isZero());
            assertThat(agent.active.opened()).isEqualTo(200);
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Tag("parity-147")
    @Test
    void refusesStreamsAboveItsLimit() throws Exception {
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service).withLimits(new StreamLimits(1, 1, 1)));
                Socket first = engine.dial()) {
            await().untilAsserted(() -> assertThat(agent.active.opened()).isEqualTo(1));

            Socket second = engine.dial();

            assertThat(second.getInputStream().read()).isEqualTo(-1);
            assertThat(engine.received(Message.ProxyConnectionResponse.class)
                            .getLast()
                            .error())
                    .isEqualTo(new WireError(WireError.SERVICE_UNAVAILABLE, "the agent serves 1 streams already"));
            first.getOutputStream().write('a');
            assertThat(first.getInputStream().read()).isEqualTo('a');
            assertThat(agent.active.refused()).isEqualTo(1);
        }
    }

    @Test
    void opensStreamsInTurnWhenManyAreAskedForTogether() throws Exception {
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service).withLimits(new StreamLimits(2, 100, 1_000)))) {
            List<Socket> callers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                callers.add(engine.dial());
            }

            await().untilAsserted(() -> assertThat(agent.active.opened()).isEqualTo(40));

            for (Socket caller : callers) {
                caller.close();
            }
            assertThat(agent.active.refused()).isZero();
        }
    }

    @Test
    void callsAnotherEngineWhenTheStreamIsRedirected() throws Exception {
        try (FakeService service = FakeService.echo();
                FakeEngine ingress = FakeEngine.start(certificates);
                AgentUnderTest agent = online(setup(service));
                Socket caller = ingress.dialAwaiting("redirected")) {
            engine.send(new Message.ProxyConnectionRequest(
                    FakeEngine.TUNNEL_ID, "redirected", "its-secret", null, ingress.address()));

            caller.getOutputStream().write('r');

            assertThat(caller.getInputStream().read()).isEqualTo('r');
            assertThat(ingress.proxyRequests.getFirst().client().token()).isEqualTo("its-secret");
            assertThat(agent.errors()).isEmpty();
        }
    }

    @Test
    void refusesARedirectWithoutEndpointOrSecretAndDialsNobody() throws Exception {
        try (FakeService service = FakeService.echo();
                AgentUnderTest agent = online(setup(service))) {
            engine.send(new Message.ProxyConnectionRequest(FakeEngine.TUNNEL_ID, "1", "secret", null, " "));
            engine.send(new Message.ProxyConnectionRequest(FakeEngine.TUNNEL_ID, "2", " ", null, engine.address()));
            engine.send(new Message.ProxyConnectionRequest(FakeEngine.TUNNEL_ID, "3", "secret", null, "http://x"));

            await().untilAsserted(() -> assertThat(engine.received(Message.ProxyConnectionResponse.class))
                    .extracting(response -> String.valueOf(response.error().message()))
                    .satisfiesExactlyInAnyOrder(
                            text -> assertThat(text).isEqualTo("proxy_endpoint is blank"),
                            text -> assertThat(text).isEqualTo("a redirected stream needs a secret"),
                            text -> assertThat(text).startsWith("proxy_endpoint: ")));
            assertThat(service.accepted()).isZero();
            assertThat(engine.connections).hasValue(1);
            assertThat(agent.errors()).isEmpty();
        }
    }
}
