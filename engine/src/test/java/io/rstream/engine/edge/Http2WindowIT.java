package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.http2.Http2Error;
import io.rstream.engine.EngineFixture;
import io.rstream.engine.Http2Caller;
import io.rstream.engine.Http2Caller.Event;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a caller sees that decides about each frame and window of its HTTP/2 connection. */
class Http2WindowIT {
    private static final int AMPLE = 65_535;
    private static EngineFixture engine;
    private static EngineFixture hasty;
    private TestAgent agent;
    private TestAgent hastyAgent;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {drain: 1s}");
        hasty = EngineFixture.start("timeouts: {httpIdle: 1s, drain: 1s}");
    }

    @AfterAll
    static void stop() {
        engine.close();
        hasty.close();
    }

    @BeforeEach
    void connect() {
        agent = TestAgent.connect(engine);
        agent.openHttp("web.t.localhost");
        hastyAgent = TestAgent.connect(hasty);
        hastyAgent.openHttp("web.t.localhost");
    }

    @AfterEach
    void close() {
        agent.close();
        hastyAgent.close();
    }

    @Test
    void answersWholeThoughTheRequestHasNotEnded() throws Exception {
        try (Http2Caller caller = Http2Caller.connect(engine, AMPLE)) {
            for (int i = 0; i < 20; i++) {
                Http2Caller.Stream stream = caller.request("POST", "unknown.t.localhost", "/", false);

                String sentence = "No tunnel is online under this host name.\n";
                assertThat(stream.next()).isEqualTo(new Event.Head(404));
                assertThat(stream.body(sentence.length())).isEqualTo(sentence);
                assertThat(stream.next()).isEqualTo(new Event.End());
                assertThat(stream.next()).isEqualTo(new Event.Reset(Http2Error.NO_ERROR.code()));
            }
        }
    }

    @Test
    void answersWholeThoughTheWindowIsSmallerThanTheAnswer() throws Exception {
        String body = "0123456789".repeat(1_000);
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 10000\r\n\r\n" + body);
                    connection.rest();
                });
                Http2Caller caller = Http2Caller.connect(engine, 100)) {
            agent.serve(service.port());
            Http2Caller.Stream stream = caller.request("POST", "web.t.localhost", "/", false);
            stream.send("x", false);

            assertThat(stream.next()).isEqualTo(new Event.Head(413));
            String first = stream.body(100);
            stream.take(10_000);

            assertThat(first + stream.body(9_900)).isEqualTo(body);
            assertThat(stream.next()).isEqualTo(new Event.End());
            assertThat(stream.next()).isEqualTo(new Event.Reset(Http2Error.NO_ERROR.code()));
        }
    }

    @Test
    void tellsAServiceThatAPostHasNoBody() throws Exception {
        try (RawService service = RawService.ok("hello");
                Http2Caller caller = Http2Caller.connect(engine, AMPLE)) {
            agent.serve(service.port());

            Http2Caller.Stream stream = caller.request("POST", "web.t.localhost", "/", true);

            assertThat(stream.next()).isEqualTo(new Event.Head(200));
            assertThat(service.heads.getFirst())
                    .containsIgnoringCase("\r\ncontent-length: 0\r\n")
                    .doesNotContainIgnoringCase("transfer-encoding");
        }
    }

    @Test
    void keepsAConnectionThatIsInUseAndLetsAnIdleOneGo() throws Exception {
        try (RawService service = RawService.ok("hello");
                Http2Caller caller = Http2Caller.connect(hasty, AMPLE)) {
            hastyAgent.serve(service.port());
            AtomicInteger answered = new AtomicInteger();

            await().pollInterval(200, TimeUnit.MILLISECONDS).until(() -> {
                assertThat(caller.request("GET", "web.t.localhost", "/", true).next())
                        .isEqualTo(new Event.Head(200));
                return answered.incrementAndGet() == 15;
            });
            assertThat(caller.isOpen()).isTrue();

            await().until(() -> !caller.isOpen());
        }
    }

    @Test
    void letsGoOfACallerThatTakesNothing() throws Exception {
        CompletableFuture<String> rest = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + "x".repeat(200_000));
                    rest.complete(connection.rest());
                });
                Http2Caller caller = Http2Caller.connect(hasty, 0)) {
            hastyAgent.serve(service.port());

            Http2Caller.Stream stream = caller.request("GET", "web.t.localhost", "/", true);

            assertThat(stream.next()).isEqualTo(new Event.Head(200));
            assertThat(stream.next()).isEqualTo(new Event.Reset(Http2Error.INTERNAL_ERROR.code()));
            assertThat(rest.get(20, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void letsGoOfACallerThatDoesNotTakeTheEndOfAShortAnswer() throws Exception {
        try (RawService service = RawService.ok("hello");
                Http2Caller caller = Http2Caller.connect(hasty, 0)) {
            hastyAgent.serve(service.port());

            Http2Caller.Stream stream = caller.request("GET", "web.t.localhost", "/", true);

            assertThat(stream.next()).isEqualTo(new Event.Head(200));
            assertThat(stream.next()).isEqualTo(new Event.Reset(Http2Error.CANCEL.code()));
        }
    }

    @Test
    void letsGoOfACallerThatDoesNotGoOnWithItsRequest() throws Exception {
        CompletableFuture<String> rest = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
                    rest.complete(connection.rest());
                });
                Http2Caller caller = Http2Caller.connect(hasty, AMPLE)) {
            hastyAgent.serve(service.port());

            Http2Caller.Stream stream = caller.request("POST", "web.t.localhost", "/", false);

            assertThat(stream.next()).isEqualTo(new Event.Head(200));
            assertThat(stream.body(5)).isEqualTo("hello");
            assertThat(stream.next()).isEqualTo(new Event.Reset(Http2Error.INTERNAL_ERROR.code()));
            assertThat(rest.get(20, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void keepsACallerThatTakesLittleByLittle() throws Exception {
        int length = 300_000;
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n" + "x".repeat(length));
                    connection.rest();
                });
                Http2Caller caller = Http2Caller.connect(hasty, 0)) {
            hastyAgent.serve(service.port());
            Http2Caller.Stream stream = caller.request("GET", "web.t.localhost", "/", true);
            assertThat(stream.next()).isEqualTo(new Event.Head(200));

            AtomicInteger taken = new AtomicInteger();
            await().pollInterval(300, TimeUnit.MILLISECONDS).until(() -> {
                stream.take(30_000);
                stream.body(30_000);
                return taken.addAndGet(30_000) == length;
            });

            assertThat(stream.next()).isEqualTo(new Event.End());
        }
    }

    @Test
    void keepsACallerWhoseServiceIsSilent() throws Exception {
        CountDownLatch later = new CountDownLatch(1);
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
                    awaitQuietly(later);
                    connection.write("4\r\nlast\r\n0\r\n\r\n");
                    connection.rest();
                });
                Http2Caller caller = Http2Caller.connect(hasty, AMPLE)) {
            hastyAgent.serve(service.port());
            Http2Caller.Stream stream = caller.request("GET", "web.t.localhost", "/", true);
            assertThat(stream.next()).isEqualTo(new Event.Head(200));
            assertThat(stream.body(5)).isEqualTo("first");

            await().during(3, TimeUnit.SECONDS).until(stream::isQuiet);
            later.countDown();

            assertThat(stream.body(4)).isEqualTo("last");
            assertThat(stream.next()).isEqualTo(new Event.End());
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
