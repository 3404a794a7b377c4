package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawHttps;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only shows byte by byte on HTTP/1.1. */
class Http1EdgeIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n";
    private static EngineFixture engine;
    private TestAgent agent;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {requestHeader: 500ms, httpIdle: 1500ms, drain: 1s}");
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
    @ValueSource(
            strings = {
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nContent-Length: 1, 2\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nContent-Length: +1\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.0\r\nHost: web.t.localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: web.t.localhost\r\nX-A: 1\r\n folded\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: web.t.localhost\r\nX-A: 1\r\n\tfolded\r\n\r\n",
                "GET / HTTP/1.1\r\n Host: web.t.localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: web.t.localhost\r\nX A: 1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: web.t.localhost\r\nX-A\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: web.t.localhost\r\nX-A: a\u0000b\r\n\r\n",
                "GET / HTTP/1.1\nHost: web.t.localhost\n\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: web.t.localhost\r\nHost: web.t.localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: web.t.localhost/x\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
                "GET web HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n",
                "GET /\u00e9 HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n",
                "GET  / HTTP/1.1 x\r\nHost: web.t.localhost\r\n\r\n",
                "nonsense\r\n\r\n",
            })
    void refusesWhatTwoParsersCouldReadDifferently(String request) throws Exception {
        try (RawHttps https = open()) {
            https.send(request);

            RawHttps.Response response = https.read();

            assertThat(response.status()).isEqualTo(400);
            assertThat(response.has("Connection: close") || response.head().startsWith("HTTP/1.1 400"))
                    .isTrue();
            assertThat(agent.streams).hasValue(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/2.0", "GET / HTTP/3.1"})
    void refusesOtherVersions(String line) throws Exception {
        try (RawHttps https = open()) {
            https.send(line + "\r\nHost: web.t.localhost\r\n\r\n");

            assertThat(https.read().status()).isIn(400, 505);
        }
    }

    @Test
    void refusesConnect() throws Exception {
        try (RawHttps https = open()) {
            https.send("CONNECT web.t.localhost:443 HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n");

            assertThat(https.read().status()).isEqualTo(501);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {65_536, 70_000, 400_000})
    void refusesALargeHeaderWith431(int size) throws Exception {
        try (RawHttps https = open()) {
            https.send("GET / HTTP/1.1\r\nHost: web.t.localhost\r\nX-Large: " + "a".repeat(size) + "\r\n\r\n");

            RawHttps.Response response = https.read();

            assertThat(response.status()).isEqualTo(431);
            assertThat(response.body()).isEqualTo("The request header is too large.\n");
        }
    }

    @Test
    void takesAHeaderJustBelowTheLimit() throws Exception {
        try (RawService service = RawService.ok("hello");
                RawHttps https = open()) {
            agent.serve(service.port());
            String large = "a".repeat(65_000);

            https.send("GET / HTTP/1.1\r\nHost: web.t.localhost\r\nX-Large: " + large + "\r\n\r\n");

            assertThat(https.read().status()).isEqualTo(200);
            assertThat(service.heads.getFirst()).contains(large);
        }
    }

    @Test
    void refusesALongRequestLineWith414() throws Exception {
        try (RawHttps https = open()) {
            https.send("GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n");

            assertThat(https.read().status()).isEqualTo(414);
        }
    }

    @Test
    void answersPipelinedRequestsInOrder() throws Exception {
        try (RawService service = RawService.start(connection -> {
                    for (String head = connection.head(); !head.isEmpty(); head = connection.head()) {
                        String path = head.split(" ", -1)[1];
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + path.length() + "\r\n\r\n" + path);
                    }
                });
                RawHttps https = open()) {
            agent.serve(service.port());
            StringBuilder requests = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                requests.append(GET.replace(" / ", " /" + i + " "));
            }

            https.send(requests.toString());

            for (int i = 0; i < 50; i++) {
                assertThat(https.read().body()).isEqualTo("/" + i);
            }
        }
    }

    @Test
    void keepsTheOrderWhenAPipelinedRequestHasABody() throws Exception {
        try (RawService service = RawService.start(connection -> {
                    for (String head = connection.head(); !head.isEmpty(); head = connection.head()) {
                        String body = head.startsWith("POST") ? connection.text(3) : "get";
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n" + body);
                    }
                });
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send("POST / HTTP/1.1\r\nHost: web.t.localhost\r\nContent-Length: 3\r\n\r\nabc" + GET
                    + GET.replace("web.t", "nobody.t") + GET);

            assertThat(https.read().body()).isEqualTo("abc");
            assertThat(https.read().body()).isEqualTo("get");
            assertThat(https.read().status()).isEqualTo(404);
            assertThat(https.read().body()).isEqualTo("get");
        }
    }

    @Test
    void routesByTheHostOfEachRequest() throws Exception {
        try (RawService service = RawService.ok("web");
                RawService otherService = RawService.ok("other");
                TestAgent other = TestAgent.connect(engine).serve(otherService.port());
                RawHttps https = open()) {
            agent.serve(service.port());
            other.openHttp("other.t.localhost");

            https.send(GET);
            assertThat(https.read().body()).isEqualTo("web");
            https.send(GET.replace("web.", "other."));
            assertThat(https.read().body()).isEqualTo("other");
            https.send(GET.replace("web.t.localhost", "WEB.T.LOCALHOST.:8443"));
            assertThat(https.read().body()).isEqualTo("web");
            https.send("GET https://other.t.localhost/x?y HTTP/1.1\r\nHost: web.t.localhost\r\n\r\n");
            assertThat(https.read().body()).isEqualTo("other");
            assertThat(otherService.heads.getLast())
                    .startsWith("GET /x?y HTTP/1.1\r\n")
                    .containsIgnoringCase("\r\nHost: other.t.localhost\r\n");
        }
    }

    @Test
    void passesContinueOnFromEndToEnd() throws Exception {
        try (RawService service = RawService.start(connection -> {
                    String head = connection.head();
                    connection.write("HTTP/1.1 100 Continue\r\n\r\n");
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                            + (head.toLowerCase(java.util.Locale.ROOT).contains("expect: 100-continue")
                                    ? connection.text(5)
                                    : "none!"));
                    connection.head();
                });
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send("POST / HTTP/1.1\r\nHost: web.t.localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            assertThat(https.head()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            https.send("hello");

            assertThat(https.read().body()).isEqualTo("hello");
        }
    }

    @Test
    void closesWhenItIsUnclearWhetherAnExpectedBodyComes() throws Exception {
        try (RawService service = RawService.answering("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send("POST / HTTP/1.1\r\nHost: web.t.localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");

            assertThat(https.read().has("Connection: close")).isTrue();
            assertThat(https.rest()).isEmpty();
        }
    }

    @Test
    void passesTrailersInBothDirections() throws Exception {
        CompletableFuture<String> received = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
                    String head = connection.head();
                    received.complete(head + connection.text("3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n".length()));
                    connection.write(
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Check\r\n\r\n2\r\nok\r\n0\r\nX-Check: 7\r\n\r\n");
                    connection.head();
                });
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send(
                    "POST / HTTP/1.1\r\nHost: web.t.localhost\r\nTE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n");

            assertThat(https.head()).containsIgnoringCase("transfer-encoding: chunked");
            assertThat(https.text("2\r\nok\r\n0\r\nX-Check: 7\r\n\r\n".length()))
                    .isEqualTo("2\r\nok\r\n0\r\nX-Check: 7\r\n\r\n");
            assertThat(received.get(20, TimeUnit.SECONDS))
                    .containsIgnoringCase("\r\nTE: trailers\r\n")
                    .endsWith("3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n");
        }
    }

    @Test
    void servesHttp10AndEndsItsBodyWithTheConnection() throws Exception {
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
                    connection.head();
                });
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send("GET / HTTP/1.0\r\nHost: web.t.localhost\r\n\r\n");

            assertThat(https.head()).doesNotContainIgnoringCase("transfer-encoding");
            assertThat(https.rest()).isEqualTo("hello");
        }
    }

    @Test
    void resetsHttp10WhenTheBodyIsCutOff() throws Exception {
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
                });
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send("GET / HTTP/1.0\r\nHost: web.t.localhost\r\n\r\n");

            assertThat(readUntilFailure(https)).isInstanceOfAny(SSLException.class, java.net.SocketException.class);
        }
    }

    @Test
    void honoursConnectionClose() throws Exception {
        try (RawService service = RawService.ok("hello");
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));

            RawHttps.Response response = https.read();
            assertThat(response.body()).isEqualTo("hello");
            assertThat(response.has("Connection: close")).isTrue();
            assertThat(https.rest()).isEmpty();
        }
    }

    @Test
    void keepsTheConnectionWhenTheServiceClosesItsOwn() throws Exception {
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
                });
                RawHttps https = open()) {
            agent.serve(service.port());

            for (int i = 0; i < 3; i++) {
                https.send(GET);
                RawHttps.Response response = https.read();
                assertThat(response.body()).isEqualTo("ok");
                assertThat(response.has("Connection: close")).isFalse();
            }
        }
    }

    @Test
    void skipsTheBodyOfARequestThatItAnswersItself() throws Exception {
        try (RawHttps https = open()) {
            for (int i = 0; i < 2; i++) {
                https.send("POST / HTTP/1.1\r\nHost: nobody.t.localhost\r\nContent-Length: 1000\r\n\r\n");
                https.send("x".repeat(1000));
                assertThat(https.read().status()).isEqualTo(404);
            }
        }
    }

    @Test
    void answersAHeaderThatDoesNotEndWith408() throws Exception {
        try (RawHttps https = open()) {
            https.send("GET / HTTP/1.1\r\nHost: web.t");

            assertThat(https.read().status()).isEqualTo(408);
        }
    }

    @Test
    void closesAConnectionThatRestsTooLong() throws Exception {
        try (RawHttps fresh = open();
                RawHttps used = open()) {
            used.send(GET.replace("web", "nobody"));
            assertThat(used.read().status()).isEqualTo(404);

            assertThat(fresh.rest()).isEmpty();
            assertThat(used.rest()).isEmpty();
        }
    }

    @Test
    void answers408WhenARequestBodyStops() throws Exception {
        try (RawService service = RawService.start(connection -> connection.rest());
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send("POST / HTTP/1.1\r\nHost: web.t.localhost\r\nContent-Length: 1000\r\n\r\nxyz");

            assertThat(https.read().status()).isEqualTo(408);
        }
    }

    @Test
    void answersAMalformedChunkWith400AndEndsTheStream() throws Exception {
        CompletableFuture<String> received = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> received.complete(connection.rest()));
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send("POST / HTTP/1.1\r\nHost: web.t.localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
            await().until(() -> agent.streams.get() == 1);
            https.send("zz\r\n");

            assertThat(https.read().status()).isEqualTo(400);
            assertThat(received.get(20, TimeUnit.SECONDS)).doesNotContain("0\r\n\r\n");
        }
    }

    @Test
    void endsTheStreamWhenTheCallerGoesAway() throws Exception {
        CompletableFuture<String> rest = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
            rest.complete(connection.rest());
        })) {
            agent.serve(service.port());
            RawHttps https = open();
            https.send(GET);
            https.head();

            https.close();

            assertThat(rest.get(20, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void removesWhatTheConnectionHeaderNames() throws Exception {
        try (RawService service = RawService.ok("hello");
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send(GET.replace(
                    "\r\n\r\n", "\r\nConnection: X-Secret-Hop, Host\r\nX-Secret-Hop: 1\r\nKeep-Alive: 5\r\n\r\n"));

            assertThat(https.read().status()).isEqualTo(200);
            assertThat(service.heads.getFirst())
                    .doesNotContainIgnoringCase("x-secret-hop")
                    .doesNotContainIgnoringCase("keep-alive")
                    .containsIgnoringCase("\r\nhost: web.t.localhost\r\n");
        }
    }

    @Test
    void doesNotPassAnUpgradeToHttp2On() throws Exception {
        try (RawService service = RawService.ok("hello");
                RawHttps https = open()) {
            agent.serve(service.port());

            https.send(GET.replace(
                    "\r\n\r\n",
                    "\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"));

            assertThat(https.read().body()).isEqualTo("hello");
            assertThat(service.heads.getFirst())
                    .doesNotContainIgnoringCase("upgrade")
                    .doesNotContainIgnoringCase("http2-settings");
        }
    }

    @Test
    void keepsPathBytesAsTheyAre() throws Exception {
        List<String> paths = List.of("/directory/", "/a/../b", "/%2e%2E/%00", "//x//", "/?", "/a;b=c,d|e^{}\"<>`");
        try (RawService service = RawService.ok("hello");
                RawHttps https = open()) {
            agent.serve(service.port());

            for (String path : paths) {
                https.send(GET.replace(" / ", " " + path + " "));
                assertThat(https.read().status()).isEqualTo(200);
            }

            assertThat(service.heads).map(head -> head.split(" ", -1)[1]).isEqualTo(paths);
        }
    }

    private static Throwable readUntilFailure(RawHttps https) {
        try {
            https.rest();
            return null;
        } catch (IOException failure) {
            return failure;
        }
    }

    private static RawHttps open() throws IOException {
        return RawHttps.connect(engine, "web.t.localhost", "http/1.1");
    }
}
