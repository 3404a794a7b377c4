package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.rstream.engine.EngineFixture;
import io.rstream.engine.H2Client;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import io.rstream.engine.WireClient;
import io.rstream.protocol.Message.CloseTunnelRequest;
import io.rstream.protocol.Message.CloseTunnelResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What only shows frame by frame on HTTP/2. */
class Http2EdgeIT {
    private static final String WEB = "web.t.localhost";
    private static final String OTHER = "other.t.localhost";
    private static EngineFixture engine;
    private TestAgent agent;
    private H2Client client;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {httpIdle: 2s, drain: 1s}");
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @BeforeEach
    void connect() {
        agent = TestAgent.connect(engine);
        client = H2Client.connect(engine, WEB);
    }

    @AfterEach
    void close() {
        client.close();
        agent.close();
    }

    @Test
    void routesByTheAuthorityOfEachRequestOnOneConnection() {
        try (RawService web = RawService.ok("web");
                RawService otherService = RawService.ok("other");
                TestAgent other = TestAgent.connect(engine).serve(otherService.port())) {
            String id = agent.serve(web.port()).openHttp(WEB).id();
            other.openHttp(OTHER);

            assertThat(ok(client.get(WEB, "/"))).isEqualTo("web");
            assertThat(ok(client.get(OTHER, "/"))).isEqualTo("other");
            agent.control.send(new CloseTunnelRequest(id));
            assertThat(agent.answer()).isEqualTo(new CloseTunnelResponse(id));

            H2Client.Stream gone = client.get(WEB, "/");
            assertThat(gone.headers().status()).hasToString("404");
            assertThat(gone.body()).isEqualTo("No tunnel is online under this host name.\n");
            assertThat(ok(client.get(OTHER, "/"))).isEqualTo("other");
        }
    }

    @Test
    void refusesALargeHeaderWith431AndKeepsTheConnection() {
        try (RawService web = RawService.ok("web")) {
            agent.serve(web.port()).openHttp(WEB);

            H2Client.Stream large =
                    client.open(H2Client.headers("GET", WEB, "/").set("x-large", "a".repeat(65_536)), true);

            assertThat(large.headers().status()).hasToString("431");
            assertThat(ok(client.get(WEB, "/"))).isEqualTo("web");
        }
    }

    @Test
    void passesTrailersInBothDirections() throws Exception {
        CompletableFuture<String> received = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
            String head = connection.head();
            received.complete(head + connection.text("3\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n".length()));
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Check: 7\r\n\r\n");
            connection.head();
        })) {
            agent.serve(service.port()).openHttp(WEB);

            H2Client.Stream stream =
                    client.open(H2Client.headers("POST", WEB, "/").set("te", "trailers"), false);
            var _ = stream.data("abc".getBytes(java.nio.charset.StandardCharsets.US_ASCII), false);
            stream.trailers(new DefaultHttp2Headers().set("x-sum", "1"));

            assertThat(stream.headers().status()).hasToString("200");
            assertThat(stream.next()).isEqualTo("ok");
            assertThat(stream.headers().get("x-check")).hasToString("7");
            assertThat(stream.next()).isEqualTo("END");
            assertThat(received.get(20, TimeUnit.SECONDS))
                    .containsIgnoringCase("\r\nte: trailers\r\n")
                    .endsWith("3\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n");
        }
    }

    @Test
    void passesContinueOn() {
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 100 Continue\r\n\r\n");
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + connection.text(5));
            connection.head();
        })) {
            agent.serve(service.port()).openHttp(WEB);

            H2Client.Stream stream = client.open(
                    H2Client.headers("POST", WEB, "/")
                            .set("expect", "100-continue")
                            .set("content-length", "5"),
                    false);
            assertThat(stream.headers().status()).hasToString("100");
            var _ = stream.data("hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII), true);

            assertThat(ok(stream)).isEqualTo("hello");
        }
    }

    @Test
    void answersHeadWithoutABodyForItsOwnAnswersToo() {
        H2Client.Stream head = client.open(H2Client.headers("HEAD", "nobody.t.localhost", "/"), true);

        assertThat(head.headers().status()).hasToString("404");
        assertThat(head.body()).isEmpty();
    }

    @Test
    void resetsAResponseThatIsCutOff() {
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        })) {
            agent.serve(service.port()).openHttp(WEB);

            H2Client.Stream stream = client.get(WEB, "/");

            assertThat(stream.headers().status()).hasToString("200");
            Object event = stream.next();
            assertThat(event.equals("half") ? stream.next() : event).isEqualTo("RESET 2");
        }
    }

    @Test
    void resetsWithoutErrorWhenTheAnswerComesBeforeTheEndOfTheRequest() {
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
            connection.rest();
        })) {
            agent.serve(service.port()).openHttp(WEB);

            H2Client.Stream stream = client.open(H2Client.headers("POST", WEB, "/"), false);

            assertThat(stream.headers().status()).hasToString("413");
            assertThat(stream.body()).isEqualTo("big");
            assertThat(stream.next()).isEqualTo("RESET 0");
        }
    }

    @Test
    void answersAnUploadToAnUnknownHostWhole() {
        H2Client.Stream stream = client.open(H2Client.headers("POST", "nobody.t.localhost", "/"), false);
        for (int i = 0; i < 64; i++) {
            var _ = stream.data(new byte[64 * 1024], false);
        }

        assertThat(stream.headers().status()).hasToString("404");
        assertThat(stream.body()).isEqualTo("No tunnel is online under this host name.\n");
        assertThat(stream.next()).isEqualTo("RESET 0");
    }

    @Test
    void endsTheStreamToTheServiceWhenTheCallerResets() throws Exception {
        CompletableFuture<String> rest = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 200 OK\r\n\r\ndata");
            rest.complete(connection.rest());
        })) {
            agent.serve(service.port()).openHttp(WEB);
            H2Client.Stream stream = client.get(WEB, "/");
            stream.headers();

            stream.reset();

            assertThat(rest.get(20, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void letsOtherRequestsPassAnUploadThatTheServiceDoesNotTake() {
        CountDownLatch done = new CountDownLatch(1);
        try (RawService service = RawService.start(connection -> {
            String head = connection.head();
            if (head.startsWith("POST")) {
                awaitQuietly(done);
                return;
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            connection.head();
        })) {
            agent.serve(service.port()).openHttp(WEB);
            H2Client.Stream upload = client.open(H2Client.headers("POST", WEB, "/"), false);
            byte[] block = new byte[64 * 1024];

            // Far more than all buffers on the way hold, so flow control must stop it on this stream alone.
            io.netty.channel.ChannelFuture last = null;
            for (int i = 0; i < 512; i++) {
                last = upload.data(block, false);
            }

            assertThat(ok(client.get(WEB, "/"))).isEqualTo("ok");
            assertThat(last.isDone()).isFalse();
            done.countDown();
        }
    }

    @Test
    void refusesHeadersThatWouldChangeTheRequestForTheService() {
        agent.openHttp(WEB);

        H2Client.Stream twoHosts = client.open(H2Client.headers("GET", WEB, "/").add("host", OTHER), true);
        H2Client.Stream connect =
                client.open(new DefaultHttp2Headers().method("CONNECT").authority(WEB + ":1"), true);

        assertThat(twoHosts.next().toString()).containsAnyOf("400", "RESET");
        assertThat(connect.next().toString()).containsAnyOf("501", "RESET");
    }

    @Test
    void saysGoodbyeToAConnectionThatRestsTooLong() throws Exception {
        try (RawService web = RawService.ok("web")) {
            agent.serve(web.port()).openHttp(WEB);
            assertThat(ok(client.get(WEB, "/"))).isEqualTo("web");

            assertThat(client.goAway.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(client.channel.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void keepsASilentRequestAliveBeyondTheIdleTime() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    awaitQuietly(release);
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                });
                H2Client idle = H2Client.connect(engine, WEB)) {
            agent.serve(service.port()).openHttp(WEB);
            H2Client.Stream stream = client.get(WEB, "/");

            // The idle connection beside it shows that the idle time is over.
            assertThat(idle.goAway.get(20, TimeUnit.SECONDS)).isTrue();
            release.countDown();

            assertThat(ok(stream)).isEqualTo("ok");
        }
    }

    @Test
    void returnsTheAgentStreamsOfAClosedConnection() {
        agent.openHttp(WEB);
        client.get(WEB, "/");
        WireClient back = agent.callBack(agent.streamRequest());
        assertThat(back.readText(3)).startsWith("GET");

        client.close();

        Object event = back.take();
        while (event instanceof byte[]) {
            event = back.take();
        }
        assertThat(event).isIn(WireClient.END, WireClient.CLOSED);
    }

    private static String ok(H2Client.Stream stream) {
        assertThat(stream.headers().status()).hasToString("200");
        return stream.body();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
