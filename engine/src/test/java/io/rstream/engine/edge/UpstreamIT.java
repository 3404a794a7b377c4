package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawHttps;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a service's connection when the service does not keep to HTTP, or changes the protocol. */
class UpstreamIT {
    private static final String UPGRADE =
            "GET /ws HTTP/1.1\r\nHost: web.t.localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
    private static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
    private static EngineFixture engine;
    private TestAgent agent;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {drain: 1s}");
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @BeforeEach
    void connect() {
        agent = TestAgent.connect(engine);
        agent.openHttp("web.t.localhost");
    }

    @AfterEach
    void close() {
        agent.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"unwanted", "unwanted\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"})
    void givesNoCallerWhatFollowedTheAnswerToAnother(String surplus) throws Exception {
        try (RawService service = RawService.start(connection -> {
                    for (String head = connection.head(); !head.isEmpty(); head = connection.head()) {
                        boolean asksForHead = head.startsWith("HEAD");
                        connection.write(
                                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + (asksForHead ? surplus : "right"));
                    }
                });
                RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1")) {
            agent.serve(service.port());

            for (int i = 0; i < 5; i++) {
                assertThat(https.send(request("HEAD")).head()).startsWith("HTTP/1.1 200 ");
                assertThat(https.send(request("GET")).read().body()).isEqualTo("right");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"unwanted", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"})
    void closesARestingConnectionOnWhichSomethingArrives(String surplus) throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        CompletableFuture<String> rest = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright");
                    awaitQuietly(answered);
                    connection.write(surplus);
                    rest.complete(connection.rest());
                });
                RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1")) {
            agent.serve(service.port());

            assertThat(https.send(request("GET")).read().body()).isEqualTo("right");
            answered.countDown();

            assertThat(rest.get(20, TimeUnit.SECONDS)).isEmpty();
            assertThat(https.send(request("GET")).read().body()).isEqualTo("right");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "last words"})
    void deliversWhatComesWithTheSwitchAndItsEnd(String words) throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write(SWITCH + words);
            connection.socket.shutdownOutput();
            connection.rest();
            closed.incrementAndGet();
        })) {
            agent.serve(service.port());

            for (int i = 1; i <= 5; i++) {
                try (RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1")) {
                    https.send(UPGRADE);

                    assertThat(https.head()).startsWith("HTTP/1.1 101 ");
                    assertThat(https.rest()).isEqualTo(words);
                }
                int expected = i;
                await().until(() -> closed.get() == expected);
            }
        }
    }

    @Test
    void endsTheCallerWhenTheServiceBreaksRightAfterTheSwitch() throws Exception {
        for (int i = 0; i < 10; i++) {
            try (RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1")) {
                https.send(UPGRADE);
                var back = agent.callBack(agent.streamRequest());
                back.readText(4);
                back.write(SWITCH);
                back.kill();

                assertThat(endsOrBreaks(https)).isTrue();
            }
        }
    }

    @Test
    void noticesThatACallerLeavesWhoHasSentMoreThanARequest() throws Exception {
        CompletableFuture<String> rest = new CompletableFuture<>();
        List<String> heads = new CopyOnWriteArrayList<>();
        try (RawService service = RawService.start(connection -> {
            heads.add(connection.head());
            rest.complete(connection.rest());
        })) {
            agent.serve(service.port());
            RawHttps https = RawHttps.connect(engine, "web.t.localhost", "http/1.1");
            https.send(request("GET") + "G");
            await().until(() -> !heads.isEmpty());
            https.send("E");

            https.close();

            assertThat(rest.get(20, TimeUnit.SECONDS)).isEmpty();
        }
    }

    private static boolean endsOrBreaks(RawHttps https) {
        try {
            https.rest();
            return true;
        } catch (java.net.SocketTimeoutException hanging) {
            return false;
        } catch (java.io.IOException broken) {
            return true;
        }
    }

    private static String request(String method) {
        return method + " / HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n";
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
