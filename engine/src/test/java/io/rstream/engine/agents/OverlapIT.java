package io.rstream.engine.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import io.rstream.engine.WireClient;
import io.rstream.protocol.Message.CloseTunnelRequest;
import io.rstream.protocol.Message.CloseTunnelResponse;
import io.rstream.protocol.Message.OpenTunnelAccepted;
import io.rstream.protocol.Message.OpenTunnelRefused;
import io.rstream.protocol.Message.ProxyConnectionRequest;
import io.rstream.protocol.Message.StreamRequest;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Two agents of one object serve its tunnel for a while: one that leaves and one that takes its place. */
class OverlapIT {
    private static final String HOST = "web.t.localhost";

    private EngineFixture engine;
    private TestAgent older;
    private TestAgent newer;

    @BeforeEach
    void start() {
        engine = EngineFixture.start("timeouts: {drain: 1s}");
        older = TestAgent.connect(engine);
        newer = TestAgent.connect(engine);
    }

    @AfterEach
    void stop() {
        older.close();
        newer.close();
        engine.close();
    }

    @Test
    void sendsRequestsToTheNewestAndBackToTheOlderOneWhenThatLeaves() throws Exception {
        try (RawService oldService = RawService.ok("old");
                RawService newService = RawService.ok("new");
                HttpClient http = engine.http(HttpClient.Version.HTTP_1_1)) {
            older.serve(oldService.port()).open(http("uid-1"));
            String before = call(http);

            String newId = newer.serve(newService.port()).open(http("uid-1")).id();
            String during = call(http);
            close(newer, newId);

            assertThat(before).isEqualTo("old");
            assertThat(during).isEqualTo("new");
            assertThat(call(http)).isEqualTo("old");
        }
    }

    @Test
    void servesFromTheOlderOneAtOnceWhenTheNewestIsLost() throws Exception {
        try (RawService oldService = RawService.ok("old");
                RawService newService = RawService.ok("new");
                HttpClient http = engine.http(HttpClient.Version.HTTP_1_1)) {
            older.serve(oldService.port()).open(http("uid-1"));
            newer.serve(newService.port()).open(http("uid-1"));

            newer.control.kill();

            await().untilAsserted(() -> assertThat(call(http)).isEqualTo("old"));
            assertThat(engine.meter("rstream.engine.tunnels", "kind", "http")).isEqualTo(1);
        }
    }

    @Test
    void letsARequestOfTheOlderAgentFinishAfterItHasClosedItsTunnel() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (RawService oldService = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
                    begun.countDown();
                    awaitQuietly(goOn);
                    connection.write("rest");
                    connection.head();
                });
                RawService newService = RawService.ok("new");
                HttpClient http = engine.http(HttpClient.Version.HTTP_1_1)) {
            String oldId = older.serve(oldService.port()).open(http("uid-1")).id();
            var download = http.sendAsync(get().build(), BodyHandlers.ofString());
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();

            newer.serve(newService.port()).open(http("uid-1"));
            close(older, oldId);
            String during = call(http);
            goOn.countDown();

            assertThat(during).isEqualTo("new");
            assertThat(download.get(20, TimeUnit.SECONDS).body()).isEqualTo("halfrest");
        }
    }

    static Stream<Arguments> departures() {
        return Stream.of(
                departure("closes its tunnel", (agent, request) -> close(agent, request.tunnelId())),
                departure("refuses", (agent, request) -> agent.refuse(request, "the agent is shutting down")),
                departure("is lost", (agent, request) -> agent.control.kill()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("departures")
    void offersAWaitingRequestWithItsBodyToTheOtherAgentWhenTheFirst(
            String what, BiConsumer<TestAgent, ProxyConnectionRequest> departure) throws Exception {
        try (RawService newService = RawService.start(connection -> {
                    connection.head();
                    String body = connection.text(4);
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + body);
                    connection.head();
                });
                HttpClient http = engine.http(HttpClient.Version.HTTP_1_1)) {
            older.open(http("uid-1"));
            CompletableFuture<HttpResponse<String>> answer =
                    http.sendAsync(get().POST(BodyPublishers.ofString("ping")).build(), BodyHandlers.ofString());
            ProxyConnectionRequest request = older.streamRequest();
            newer.serve(newService.port()).open(http("uid-1"));

            departure.accept(older, request);

            assertThat(answer.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            assertThat(answer.get().body()).isEqualTo("ping");
            assertThat(engine.meter("rstream.engine.rendezvous.reoffers")).isEqualTo(1);
            assertThat(engine.meter("rstream.engine.rendezvous.failures", "reason", "agent_lost"))
                    .isZero();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("departures")
    void offersAWaitingTcpConnectionToTheOtherAgentWhenTheFirst(
            String what, BiConsumer<TestAgent, ProxyConnectionRequest> departure) throws Exception {
        int port = older.open(tcp("uid-1")).port();
        try (Socket caller = new Socket(InetAddress.getLoopbackAddress(), port)) {
            ProxyConnectionRequest request = older.streamRequest();
            newer.open(tcp("uid-1"));
            caller.getOutputStream().write(bytes("ping"));

            departure.accept(older, request);

            try (WireClient back = newer.callBack(newer.streamRequest())) {
                assertThat(back.readText(4)).isEqualTo("ping");
                back.write("pong");
                assertThat(caller.getInputStream().readNBytes(4)).isEqualTo(bytes("pong"));
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("departures")
    void offersAWaitingDialToTheOtherAgentWhenTheFirst(
            String what, BiConsumer<TestAgent, ProxyConnectionRequest> departure) {
        older.open(privateTunnel("uid-1"));
        try (WireClient dialer = WireClient.connect(engine)) {
            dialer.sendThenRaw(new StreamRequest(TestAgent.details(EngineFixture.token()), "db", true, false), "ping");
            ProxyConnectionRequest request = older.streamRequest();
            newer.open(privateTunnel("uid-1"));

            departure.accept(older, request);

            try (WireClient back = newer.callBack(newer.streamRequest())) {
                assertThat(back.readText(4)).isEqualTo("ping");
            }
        }
    }

    @Test
    void acceptsAndClosesTheLateStreamOfAnAgentWhoseRequestWentToAnother() throws Exception {
        try (RawService newService = RawService.ok("new");
                HttpClient http = engine.http(HttpClient.Version.HTTP_1_1)) {
            older.open(http("uid-1"));
            var answer = http.sendAsync(get().build(), BodyHandlers.ofString());
            ProxyConnectionRequest request = older.streamRequest();
            newer.serve(newService.port()).open(http("uid-1"));
            close(older, request.tunnelId());
            assertThat(answer.get(20, TimeUnit.SECONDS).body()).isEqualTo("new");

            try (WireClient late = older.callBack(request)) {
                late.awaitClosed();
            }
        }
    }

    @Test
    void asksEachAgentOnceAndThenGivesUp() throws Exception {
        try (HttpClient http = engine.http(HttpClient.Version.HTTP_1_1)) {
            older.open(http("uid-1"));
            newer.open(http("uid-1"));
            var answer = http.sendAsync(get().build(), BodyHandlers.ofString());

            newer.refuse(newer.streamRequest(), "no service");
            older.refuse(older.streamRequest(), "no service");

            assertThat(answer.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(502);
            assertThat(engine.meter("rstream.engine.rendezvous.failures", "reason", "refused"))
                    .isEqualTo(1);
        }
    }

    @Test
    void keepsTheStreamOfAnAgentThatClosesItsTunnelWhenNobodyElseServesIt() throws Exception {
        int port = older.open(tcp("uid-1")).port();
        try (Socket caller = new Socket(InetAddress.getLoopbackAddress(), port)) {
            ProxyConnectionRequest request = older.streamRequest();

            close(older, request.tunnelId());

            try (WireClient back = older.callBack(request)) {
                back.write("pong");
                assertThat(caller.getInputStream().readNBytes(4)).isEqualTo(bytes("pong"));
            }
        }
    }

    @Test
    void sharesOneListenerAndLeavesOpenConnectionsWhereTheyAre() throws Exception {
        TunnelProperties first = older.open(tcp("uid-1"));
        try (Socket early = new Socket(InetAddress.getLoopbackAddress(), first.port());
                WireClient earlyBack = older.callBack(older.streamRequest())) {
            earlyBack.write("here");
            assertThat(early.getInputStream().readNBytes(4)).isEqualTo(bytes("here"));
            TunnelProperties second = newer.open(tcp("uid-1"));
            close(older, first.id());

            try (Socket late = new Socket(InetAddress.getLoopbackAddress(), first.port());
                    WireClient lateBack = newer.callBack(newer.streamRequest())) {
                assertThat(second.port()).isEqualTo(first.port());
                lateBack.write("late");
                assertThat(late.getInputStream().readNBytes(4)).isEqualTo(bytes("late"));
                early.getOutputStream().write(bytes("early"));
                assertThat(earlyBack.readText(5)).isEqualTo("early");
            }
            close(newer, second.id());
            await().untilAsserted(() -> assertThat(isOpen(first.port())).isFalse());
        }
    }

    @Test
    void givesTheNewAgentThePortThatTheOldOneHasInsteadOfTheFirstThatIsFree() {
        TunnelProperties firstChoice = older.open(tcp("uid-1"));
        close(older, firstChoice.id());
        String blocker = newer.open(TunnelProperties.builder().protocol("tcp").port(firstChoice.port()))
                .id();
        int port = older.open(tcp("uid-1")).port();
        close(newer, blocker);

        assertThat(newer.open(tcp("uid-1")).port()).isEqualTo(port).isNotEqualTo(firstChoice.port());
    }

    @Test
    void refusesASecondAgentThatServesAnotherObjectOrSaysNothing() {
        older.open(http("uid-1"));

        assertThat(refused(newer.request(http("uid-2")))).isEqualTo(new WireError(2000, WireError.HOSTNAME_IN_USE));
        assertThat(refused(newer.request(
                        TunnelProperties.builder().protocol("http").hostname(HOST))))
                .isEqualTo(new WireError(2000, WireError.HOSTNAME_IN_USE));
    }

    @Test
    void refusesASecondAgentOfAnotherPrincipal() {
        older.open(http("uid-1"));

        try (TestAgent stranger = TestAgent.connect(engine, EngineFixture.token("other"), null)) {
            assertThat(refused(stranger.request(http("uid-1"))).message()).isEqualTo(WireError.HOSTNAME_IN_USE);
        }
    }

    @Test
    void refusesASecondAgentWhereTheConfigurationAllowsOneClaim() {
        try (EngineFixture strict = EngineFixture.start("limits: {claimsPerTunnel: 1}", "timeouts: {drain: 1s}");
                TestAgent first = TestAgent.connect(strict);
                TestAgent second = TestAgent.connect(strict)) {
            first.open(http("uid-1"));

            assertThat(refused(second.request(http("uid-1"))))
                    .isEqualTo(new WireError(2000, WireError.HOSTNAME_IN_USE));
        }
    }

    @Test
    void keepsTheAddressForThePrincipalWhenTheLastOfTwoIsLost() {
        older.open(http("uid-1"));
        newer.open(http("uid-1"));
        older.control.kill();
        newer.control.kill();
        await().untilAsserted(() -> assertThat(engine.meter("rstream.engine.tunnels", "kind", "http"))
                .isZero());

        try (TestAgent stranger = TestAgent.connect(engine, EngineFixture.token("other"), null);
                TestAgent returned = TestAgent.connect(engine)) {
            assertThat(refused(stranger.request(http("uid-1"))).message()).isEqualTo(WireError.HOSTNAME_IN_USE);
            assertThat(returned.request(http("uid-1"))).isInstanceOf(OpenTunnelAccepted.class);
        }
    }

    @Test
    void showsBothInTheInventoryAndInTheFigures() throws Exception {
        String oldId = older.open(http("uid-1")).id();
        String newId = newer.open(http("uid-1")).id();

        try (HttpClient http = engine.http(HttpClient.Version.HTTP_1_1)) {
            String tunnels = http.send(
                            HttpRequest.newBuilder(URI.create(engine.url("edge.localhost", "/api/tunnels")))
                                    .header("Authorization", "Bearer " + EngineFixture.token())
                                    .build(),
                            BodyHandlers.ofString())
                    .body();

            assertThat(tunnels).contains(oldId, newId, older.accepted.clientId(), newer.accepted.clientId());
            assertThat(engine.meter("rstream.engine.tunnels", "kind", "http")).isEqualTo(2);
        }
    }

    @Test
    void servesOldAndNewHostnameWhileAgentsDifferInIt() throws Exception {
        try (RawService oldService = RawService.ok("old");
                RawService newService = RawService.ok("new");
                HttpClient http = engine.http(HttpClient.Version.HTTP_1_1)) {
            older.serve(oldService.port()).open(http("uid-1").name("web"));
            newer.serve(newService.port()).open(http("uid-1").name("web").hostname("other.t.localhost"));

            assertThat(call(http)).isEqualTo("old");
            assertThat(http.send(
                                    HttpRequest.newBuilder(URI.create(engine.url("other.t.localhost", "/")))
                                            .build(),
                                    BodyHandlers.ofString())
                            .body())
                    .isEqualTo("new");
        }
    }

    private String call(HttpClient http) throws IOException, InterruptedException {
        return http.send(get().build(), BodyHandlers.ofString()).body();
    }

    private HttpRequest.Builder get() {
        return HttpRequest.newBuilder(URI.create(engine.url(HOST, "/")));
    }

    private static void close(TestAgent agent, String tunnelId) {
        agent.control.send(new CloseTunnelRequest(tunnelId));
        assertThat(agent.answer()).isEqualTo(new CloseTunnelResponse(tunnelId));
    }

    private static boolean isOpen(int port) {
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException closed) {
            return false;
        }
    }

    private static WireError refused(Object answer) {
        assertThat(answer).isInstanceOf(OpenTunnelRefused.class);
        return ((OpenTunnelRefused) answer).error();
    }

    private static Arguments departure(String what, BiConsumer<TestAgent, ProxyConnectionRequest> departure) {
        return Arguments.of(what, departure);
    }

    private static TunnelProperties.Builder http(String uid) {
        return TunnelProperties.builder().protocol("http").hostname(HOST).labels(uid(uid));
    }

    private static TunnelProperties.Builder tcp(String uid) {
        return TunnelProperties.builder().protocol("tcp").name("shell").labels(uid(uid));
    }

    private static TunnelProperties.Builder privateTunnel(String uid) {
        return TunnelProperties.builder().publish(false).name("db").labels(uid(uid));
    }

    private static Map<String, String> uid(String uid) {
        return Map.of("rstream.kubernetes.uid", uid);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
