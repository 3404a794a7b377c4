package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import io.rstream.protocol.TunnelProperties;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for callers with HTTP/1.1 and with HTTP/2 alike. */
class HttpEdgeIT {
    private static EngineFixture engine;
    private static EngineFixture hasty;
    private TestAgent agent;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {drain: 1s}");
        hasty = EngineFixture.start("timeouts: {streamRequest: 500ms, responseHeader: 1s, drain: 1s}");
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
    }

    @AfterEach
    void close() {
        agent.close();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void passesARequestOnUnchangedButForItsForwardingHeaders(Version version) throws Exception {
        try (RawService service = RawService.ok("hello")) {
            agent.serve(service.port());
            HttpRequest request = request("/a//b/./c%2f%7Bx%7D/?q=1&q=%20")
                    .header("Origin", "https://elsewhere.example")
                    .header("X-Forwarded-For", "10.9.8.7")
                    .header("X-Forwarded-Proto", "gopher")
                    .header("Forwarded", "for=10.9.8.7")
                    .header("X-Custom", "kept")
                    .build();

            HttpResponse<String> response = engine.http(version).send(request, BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.version()).isEqualTo(version);
            assertThat(response.body()).isEqualTo("hello");
            assertThat(service.heads.getFirst())
                    .startsWith("GET /a//b/./c%2f%7Bx%7D/?q=1&q=%20 HTTP/1.1\r\n")
                    .containsIgnoringCase("\r\nhost: web.t.localhost:" + engine.port() + "\r\n")
                    .containsIgnoringCase("\r\norigin: https://elsewhere.example\r\n")
                    .containsIgnoringCase("\r\nx-custom: kept\r\n")
                    .contains("\r\nX-Forwarded-For: 127.0.0.1\r\n")
                    .contains("\r\nX-Forwarded-Proto: https\r\n")
                    .contains("\r\nX-Forwarded-Host: web.t.localhost:" + engine.port() + "\r\n")
                    .doesNotContain("10.9.8.7")
                    .doesNotContainIgnoringCase("gopher")
                    .doesNotContainIgnoringCase("x-http2")
                    .doesNotContainIgnoringCase("http2-settings");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answersForUnknownHostsAndStaysUsable(Version version) throws Exception {
        try (RawService service = RawService.ok("hello")) {
            agent.serve(service.port());
            HttpClient http = engine.http(version);

            for (int i = 0; i < 3; i++) {
                var response = http.send(
                        HttpRequest.newBuilder(URI.create(engine.url("unknown.t.localhost", "/")))
                                .build(),
                        BodyHandlers.ofString());

                assertThat(response.statusCode()).isEqualTo(404);
                assertThat(response.headers().firstValue("content-type")).hasValue("text/plain; charset=utf-8");
                assertThat(response.body()).isEqualTo("No tunnel is online under this host name.\n");
            }
            assertThat(get(version, "/").body()).isEqualTo("hello");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answers502WhenTheAgentRefuses(Version version) throws Exception {
        var response = engine.http(version).sendAsync(request("/").build(), BodyHandlers.ofString());

        agent.refuse(agent.streamRequest(), "service down");

        assertThat(response.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(502);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answers504WhenTheAgentDoesNotCallBack(Version version) throws Exception {
        try (TestAgent silent = TestAgent.connect(hasty)) {
            silent.openHttp("web.t.localhost");

            var response = hasty.http(version).send(request(hasty, "/").build(), BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(504);
            assertThat(response.body()).isEqualTo("The tunnel's agent did not answer in time.\n");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answers502WhenTheSessionIsLost(Version version) throws Exception {
        var response = engine.http(version).sendAsync(request("/").build(), BodyHandlers.ofString());
        agent.streamRequest();

        agent.control.kill();

        assertThat(response.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(502);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answers502WhenTheServiceEndsWithoutAResponse(Version version) throws Exception {
        try (RawService service = RawService.start(RawService.Connection::head)) {
            agent.serve(service.port());

            assertThat(get(version, "/").statusCode()).isEqualTo(502);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answers502WhenTheServiceDoesNotSpeakHttp(Version version) throws Exception {
        try (RawService service = RawService.answering("SSH-2.0-OpenSSH\r\n\r\n")) {
            agent.serve(service.port());

            assertThat(get(version, "/").statusCode()).isEqualTo(502);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answers504WhenTheServiceDoesNotBeginItsResponse(Version version) throws Exception {
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.head();
                });
                TestAgent own = TestAgent.connect(hasty).serve(service.port())) {
            own.openHttp("web.t.localhost");

            var response = hasty.http(version).send(request(hasty, "/").build(), BodyHandlers.ofString());

            assertThat(response.body()).isEqualTo("The service behind the tunnel did not answer in time.\n");
            assertThat(response.statusCode()).isEqualTo(504);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answers503WhenATunnelHasTooManyStreams(Version version) throws Exception {
        try (EngineFixture small = EngineFixture.start("limits: {streamsPerTunnel: 1}", "timeouts: {drain: 1s}");
                TestAgent owner = TestAgent.connect(small)) {
            owner.openHttp("web.t.localhost");
            HttpRequest request = HttpRequest.newBuilder(URI.create(small.url("web.t.localhost", "/")))
                    .build();
            var first = small.http(version).sendAsync(request, BodyHandlers.ofString());
            owner.streamRequest();

            var second = small.http(version).send(request, BodyHandlers.ofString());

            assertThat(second.statusCode()).isEqualTo(503);
            assertThat(first).isNotDone();
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void streamsALargeUploadAndDownload(Version version) throws Exception {
        int size = 48 * 1024 * 1024;
        byte[] pattern = "0123456789abcdef".repeat(4_096).getBytes(StandardCharsets.US_ASCII);
        try (RawService service = RawService.start(connection -> {
            String head = connection.head();
            if (head.startsWith("POST")) {
                String sum = sha256(connection.in(), size);
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 64\r\n\r\n" + sum);
            } else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
                for (int sent = 0; sent < size; sent += pattern.length) {
                    connection.out().write(pattern);
                }
                connection.out().flush();
            }
            connection.head();
        })) {
            agent.serve(service.port());
            HttpClient http = engine.http(version);
            String expected = sha256(new Repeating(pattern), size);

            var up = http.send(
                    request("/up")
                            .POST(BodyPublishers.fromPublisher(
                                    BodyPublishers.ofInputStream(() -> new Repeating(pattern).first(size)), size))
                            .build(),
                    BodyHandlers.ofString());
            var down = http.send(request("/down").build(), BodyHandlers.ofInputStream());

            assertThat(up.body()).isEqualTo(expected);
            assertThat(sha256(down.body(), size)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void makesTheServiceWaitForASlowReader(Version version) throws Exception {
        CompletableFuture<Integer> stuck = new CompletableFuture<>();
        int size = 256 * 1024 * 1024;
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
            byte[] block = new byte[64 * 1024];
            for (int sent = 0; sent < size; sent += block.length) {
                connection.out().write(block);
                stuck.obtrudeValue(sent);
            }
        })) {
            agent.serve(service.port());

            var response = engine.http(version).send(request("/").build(), BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                assertThat(body.readNBytes(10)).hasSize(10);

                int[] last = {-1};
                await().pollInterval(java.time.Duration.ofMillis(500)).until(() -> {
                    int now = stuck.getNow(0);
                    boolean same = now == last[0];
                    last[0] = now;
                    return same;
                });
                assertThat(last[0]).isLessThan(64 * 1024 * 1024);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void passesChunkedBodiesInBothDirections(Version version) throws Exception {
        try (RawService service = RawService.start(connection -> {
            String head = connection.head();
            String chunks = readChunks(connection);
            boolean chunked = head.toLowerCase(java.util.Locale.ROOT).contains("transfer-encoding: chunked");
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
            connection.write("%x\r\n%s\r\n0\r\n\r\n".formatted(chunks.length() + 5, chunked + chunks + " "));
            connection.head();
        })) {
            agent.serve(service.port());
            var body = BodyPublishers.fromPublisher(BodyPublishers.ofString("some body"));

            var response = engine.http(version).send(request("/").POST(body).build(), BodyHandlers.ofString());

            assertThat(response.body()).isEqualTo("hellotruesome body ");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void deliversEventsAsTheyCome(Version version) throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            connection.write("f\r\ndata: event-1\n\n\r\n");
            awaitQuietly(seen);
            connection.write("f\r\ndata: event-2\n\n\r\n0\r\n\r\n");
            connection.head();
        })) {
            agent.serve(service.port());

            var response = engine.http(version).send(request("/events").build(), BodyHandlers.ofInputStream());
            byte[] first = response.body().readNBytes(15);
            seen.countDown();
            byte[] rest = response.body().readAllBytes();

            assertThat(response.headers().firstValue("content-type")).hasValue("text/event-stream");
            assertThat(new String(first, StandardCharsets.US_ASCII)).isEqualTo("data: event-1\n\n");
            assertThat(new String(rest, StandardCharsets.US_ASCII)).isEqualTo("data: event-2\n\n");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void knowsResponsesWithoutABody(Version version) throws Exception {
        for (String status : List.of("204 No Content", "304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 5")) {
            try (RawService service = RawService.answering("HTTP/1.1 " + status + "\r\n\r\n")) {
                agent.serve(service.port());

                var response = get(version, "/");

                assertThat(response.statusCode()).isEqualTo(Integer.parseInt(status.substring(0, 3)));
                assertThat(response.body()).isEmpty();
            }
        }
        try (RawService service = RawService.answering("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n")) {
            agent.serve(service.port());
            HttpRequest head =
                    request("/").method("HEAD", BodyPublishers.noBody()).build();

            var response = engine.http(version).send(head, BodyHandlers.ofString());

            assertThat(response.headers().firstValue("content-length")).hasValue("1234");
            assertThat(response.body()).isEmpty();
            assertThat(engine.http(version).send(head, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void removesHeadersThatConcernOneConnection(Version version) throws Exception {
        try (RawService service = RawService.answering(
                "HTTP/1.1 200 OK\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nX-End: 2\r\nContent-Length: 0\r\n\r\n")) {
            agent.serve(service.port());

            var headers = get(version, "/").headers();

            assertThat(headers.firstValue("x-hop")).isEmpty();
            assertThat(headers.firstValue("keep-alive")).isEmpty();
            assertThat(headers.firstValue("x-end")).hasValue("2");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void usesAStreamForManyRequests(Version version) throws Exception {
        try (RawService service = RawService.ok("hello")) {
            agent.serve(service.port());

            for (int i = 0; i < 20; i++) {
                assertThat(get(version, "/" + i).body()).isEqualTo("hello");
            }

            assertThat(agent.streams).hasValue(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void takesANewStreamWhenTheRestedOneHasEnded(Version version) throws Exception {
        try (RawService service = RawService.ok("hello")) {
            agent.serve(service.port());
            assertThat(get(version, "/").body()).isEqualTo("hello");

            for (int i = 0; i < 20; i++) {
                service.dropAll();
                assertThat(get(version, "/").body()).isEqualTo("hello");
            }

            assertThat(agent.streams).hasValueGreaterThan(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void sendsARequestThatMayBeRepeatedOnceMoreWhenTheRestedStreamBreaks(Version version) throws Exception {
        List<String> seen = new java.util.concurrent.CopyOnWriteArrayList<>();
        try (RawService service = RawService.start(connection -> {
            seen.add(connection.head());
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            seen.add(connection.head());
            // The second request on a connection is read and never answered.
        })) {
            agent.serve(service.port());
            get(version, "/first");

            assertThat(get(version, "/second").body()).isEqualTo("ok");

            assertThat(seen).anySatisfy(head -> assertThat(head).startsWith("GET /second"));
            assertThat(agent.streams).hasValue(2);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void doesNotRepeatARequestThatMustNotBeRepeated(Version version) throws Exception {
        List<String> posts = new java.util.concurrent.CopyOnWriteArrayList<>();
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            posts.add(connection.head());
        })) {
            agent.serve(service.port());
            HttpClient http = engine.http(version);
            http.send(request("/first").build(), BodyHandlers.ofString());

            var response = http.send(
                    request("/second").POST(BodyPublishers.ofString("x")).build(), BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(502);
            assertThat(posts).filteredOn(head -> head.startsWith("POST")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void neverPassesATruncatedBodyOffAsWhole(Version version) throws Exception {
        for (String head : List.of("Content-Length: 100", "Transfer-Encoding: chunked")) {
            String part = head.startsWith("C") ? "half" : "4\r\nhalf\r\n";
            try (RawService service = RawService.start(connection -> {
                connection.head();
                connection.write("HTTP/1.1 200 OK\r\n" + head + "\r\n\r\n" + part);
            })) {
                agent.serve(service.port());

                assertThatThrownBy(() -> get(version, "/")).isInstanceOf(IOException.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void passesABodyThatEndsWithTheConnection(Version version) throws Exception {
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 200 OK\r\n\r\nto the end");
        })) {
            agent.serve(service.port());

            assertThat(get(version, "/").body()).isEqualTo("to the end");
            assertThat(get(version, "/").body()).isEqualTo("to the end");
            assertThat(agent.streams).hasValue(2);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void doesNotTakeAResetStreamForTheEndOfABody(Version version) throws Exception {
        // Not GET, which the JDK's client sends again by itself when the reset has thrown the head away, too.
        HttpRequest post = request("/").POST(BodyPublishers.ofString("x")).build();
        var response = engine.http(version).sendAsync(post, BodyHandlers.ofString());
        var back = agent.callBack(agent.streamRequest());
        assertThat(back.readText(4)).startsWith("POST");
        back.write("HTTP/1.1 200 OK\r\n\r\nto the");

        back.kill();

        assertThatThrownBy(() -> {
                    var arrived = response.get(20, TimeUnit.SECONDS);
                    throw new IOException("answered with " + arrived.statusCode(), null);
                })
                .satisfiesAnyOf(
                        thrown -> assertThat(thrown).hasCauseInstanceOf(IOException.class),
                        thrown -> assertThat(thrown).hasMessage("answered with 502"));
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void servesManyRequestsAtOnce(Version version) throws Exception {
        try (RawService service = RawService.ok("hello")) {
            agent.serve(service.port());
            HttpClient http = engine.http(version);
            List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();

            for (int i = 0; i < 100; i++) {
                responses.add(http.sendAsync(request("/" + i).build(), BodyHandlers.ofString()));
            }

            for (var response : responses) {
                assertThat(response.get(20, TimeUnit.SECONDS).body()).isEqualTo("hello");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void answersEarlyWhileTheBodyStillComes(Version version) throws Exception {
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
            connection.rest();
        })) {
            agent.serve(service.port());
            HttpRequest upload = request("/")
                    .POST(BodyPublishers.ofByteArray(new byte[64 * 1024]))
                    .build();

            var response = engine.http(version).send(upload, BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(413);
            assertThat(response.body()).isEqualTo("big");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void closesRestingStreamsWithTheTunnel(Version version) throws Exception {
        CompletableFuture<String> rest = new CompletableFuture<>();
        try (RawService service = RawService.start(connection -> {
            connection.head();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            rest.complete(connection.rest());
        })) {
            agent.serve(service.port());
            TunnelProperties other = agent.openHttp("other.t.localhost");
            HttpRequest request = HttpRequest.newBuilder(URI.create(engine.url("other.t.localhost", "/")))
                    .build();
            assertThat(engine.http(version)
                            .send(request, BodyHandlers.ofString())
                            .body())
                    .isEqualTo("ok");

            agent.control.send(new io.rstream.protocol.Message.CloseTunnelRequest(other.id()));

            assertThat(rest.get(20, TimeUnit.SECONDS)).isEmpty();
        }
    }

    private static HttpResponse<String> get(Version version, String path) throws Exception {
        return engine.http(version).send(request(path).build(), BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(String path) {
        return request(engine, path);
    }

    private static HttpRequest.Builder request(EngineFixture of, String path) {
        return HttpRequest.newBuilder(URI.create(of.url("web.t.localhost", path)));
    }

    private static String readChunks(RawService.Connection connection) throws IOException {
        StringBuilder body = new StringBuilder();
        for (int size = readSize(connection); size > 0; size = readSize(connection)) {
            body.append(connection.text(size));
            connection.text(2);
        }
        connection.text(2);
        return body.toString();
    }

    private static int readSize(RawService.Connection connection) throws IOException {
        StringBuilder line = new StringBuilder();
        while (!line.toString().endsWith("\r\n")) {
            line.append((char) connection.in().read());
        }
        return Integer.parseInt(line.toString().strip(), 16);
    }

    private static String sha256(InputStream in, int size) {
        try {
            DigestInputStream digest = new DigestInputStream(in, MessageDigest.getInstance("SHA-256"));
            digest.skipNBytes(0);
            byte[] block = new byte[64 * 1024];
            for (int left = size; left > 0; ) {
                int read = digest.read(block, 0, Math.min(left, block.length));
                if (read < 0) {
                    return "ended " + left + " bytes early";
                }
                left -= read;
            }
            return HexFormat.of().formatHex(digest.getMessageDigest().digest());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A pattern without end, or up to a length. */
    private static final class Repeating extends InputStream {
        private final byte[] pattern;
        private int position;
        private long left = Long.MAX_VALUE;

        Repeating(byte[] pattern) {
            this.pattern = pattern;
        }

        Repeating first(long length) {
            left = length;
            return this;
        }

        @Override
        public int read() {
            return left-- <= 0 ? -1 : pattern[position++ % pattern.length];
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            if (left <= 0) {
                return -1;
            }
            int start = position % pattern.length;
            int count = (int) Math.min(left, Math.min(length, pattern.length - start));
            System.arraycopy(pattern, start, target, offset, count);
            position += count;
            left -= count;
            return count;
        }
    }
}
