package io.rstream.engine.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import io.rstream.protocol.Liveness;
import io.rstream.protocol.Message.CloseTunnelResponse;
import io.rstream.protocol.Message.Heartbeat;
import io.rstream.protocol.Message.OpenTunnelAccepted;
import io.rstream.protocol.Message.OpenTunnelRefused;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TakeoverIT {
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
    void refusesATakenHostnameToSomebodyElse() {
        try (TestAgent holder = TestAgent.connect(engine);
                TestAgent other = TestAgent.connect(engine, EngineFixture.token("other"), null)) {
            holder.openHttp("web.t.localhost");

            WireError error = refused(other.request(http("web.t.localhost")));

            assertThat(error.code()).isEqualTo(2000);
            assertThat(error.message()).isEqualTo("Hostname is already in use.");
        }
    }

    @Test
    void refusesATakenPrivateNameToSomebodyElse() {
        try (TestAgent holder = TestAgent.connect(engine);
                TestAgent other = TestAgent.connect(engine, EngineFixture.token("other"), null)) {
            holder.open(privateTunnel("db"));

            WireError error = refused(other.request(privateTunnel("db")));

            assertThat(error.code()).isEqualTo(2000);
            assertThat(error.message()).isEqualTo("Tunnel name is already in use.");
        }
    }

    @Test
    void givesAKilledAgentItsHostnameBackAtOnce() {
        for (int round = 0; round < 20; round++) {
            TestAgent killed = TestAgent.connect(engine, EngineFixture.token(), Liveness.request(5_000));
            killed.open(http("web.t.localhost").name("web"));

            killed.control.kill();

            try (TestAgent restarted = TestAgent.connect(engine, EngineFixture.token(), Liveness.request(5_000))) {
                assertThat(restarted.request(http("web.t.localhost").name("web")))
                        .isInstanceOf(OpenTunnelAccepted.class);
            }
        }
    }

    @Test
    void takesOverFromASessionThatHasFallenSilent() {
        try (TestAgent silent = TestAgent.connect(engine, EngineFixture.token(), Liveness.request(1_000))) {
            String id = silent.open(privateTunnel("silent")).id();

            try (TestAgent restarted = TestAgent.connect(engine)) {
                assertThat(restarted.request(privateTunnel("silent"))).isInstanceOf(OpenTunnelAccepted.class);
                assertThat(silent.answer()).isEqualTo(new CloseTunnelResponse(id));
                assertThat(engine.meter("rstream.engine.takeovers")).isPositive();
            }
        }
    }

    @Test
    void refusesToTakeOverFromASessionThatIsAlive() {
        ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor();
        try (TestAgent alive = TestAgent.connect(engine, EngineFixture.token(), Liveness.request(1_000));
                TestAgent second = TestAgent.connect(engine)) {
            AtomicLong beats = new AtomicLong();
            var _ = heart.scheduleAtFixedRate(
                    () -> alive.control.send(new Heartbeat(beats.incrementAndGet(), 0)), 0, 300, TimeUnit.MILLISECONDS);
            alive.openHttpAmongHeartbeats("web.t.localhost");

            WireError error = refused(second.request(http("web.t.localhost")));

            assertThat(error.message()).isEqualTo("Hostname is already in use.");
        } finally {
            heart.shutdownNow();
        }
    }

    @Test
    void refusesToTakeOverFromAnOpenSessionWhoseSilenceMeansNothing() {
        try (TestAgent holder = TestAgent.connect(engine);
                TestAgent second = TestAgent.connect(engine)) {
            holder.open(privateTunnel("quiet"));

            assertThat(refused(second.request(privateTunnel("quiet"))).code()).isEqualTo(2000);
        }
    }

    @Test
    void refusesASecondTunnelOfOneSessionAndKeepsTheFirst() {
        try (TestAgent agent = TestAgent.connect(engine)) {
            agent.open(http("web.t.localhost").name("web"));
            int port = agent.open(TunnelProperties.builder().protocol("tcp")).port();

            assertThat(refused(agent.request(http("web.t.localhost"))))
                    .isEqualTo(new WireError(2000, "Hostname is already in use."));
            assertThat(refused(agent.request(privateTunnel("web"))))
                    .isEqualTo(new WireError(2000, "Tunnel name is already in use."));
            assertThat(refused(agent.request(
                            TunnelProperties.builder().protocol("tcp").port(port))))
                    .isEqualTo(new WireError(2000, "Published TCP port " + port + " is already in use."));
            assertThat(engine.meter("rstream.engine.tunnels", "kind", "http")).isEqualTo(1);
            assertThat(engine.meter("rstream.engine.tunnels", "kind", "tcp")).isEqualTo(1);
        }
    }

    @Test
    void letsEstablishedStreamsOfTheOldSessionFinish() throws Exception {
        HttpClient http = engine.http(HttpClient.Version.HTTP_1_1);
        java.util.concurrent.CountDownLatch requested = new java.util.concurrent.CountDownLatch(1);
        java.util.concurrent.CountDownLatch release = new java.util.concurrent.CountDownLatch(1);
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
                    requested.countDown();
                    awaitQuietly(release);
                    connection.write("rest");
                    connection.head();
                });
                RawService newService = RawService.ok("new")) {
            TestAgent killed = TestAgent.connect(engine).serve(service.port());
            killed.openHttp("web.t.localhost");
            var response = http.sendAsync(get("web.t.localhost"), BodyHandlers.ofString());
            requested.await(20, TimeUnit.SECONDS);

            killed.control.kill();
            try (TestAgent restarted = TestAgent.connect(engine).serve(newService.port())) {
                restarted.openHttp("web.t.localhost");
                release.countDown();

                assertThat(response.get(20, TimeUnit.SECONDS).body()).isEqualTo("halfrest");
                assertThat(http.send(get("web.t.localhost"), BodyHandlers.ofString())
                                .body())
                        .isEqualTo("new");
            }
        }
    }

    private static HttpRequest get(String host) {
        return HttpRequest.newBuilder(URI.create(engine.url(host, "/"))).build();
    }

    private static void awaitQuietly(java.util.concurrent.CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static WireError refused(Object answer) {
        assertThat(answer).isInstanceOf(OpenTunnelRefused.class);
        return ((OpenTunnelRefused) answer).error();
    }

    private static TunnelProperties.Builder http(String hostname) {
        return TunnelProperties.builder().protocol("http").hostname(hostname);
    }

    private static TunnelProperties.Builder privateTunnel(String name) {
        return TunnelProperties.builder().publish(false).name(name);
    }
}
