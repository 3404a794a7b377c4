package io.rstream.e2e.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.e2e.traffic.RawCaller.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What HTTP/1.1 promises end to end (RFC 9110, RFC 9112) must hold through a tunnel. */
@ExtendWith(TrafficExtension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class HttpSemanticsE2E {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/seen",
                "/seen/directory/",
                "/seen/a%2Fb/%7Euser/../x//y;v=1",
                "/seen?empty=&same=1&same=2&space=%20&plus=+",
                "/seen?redirect=https://example.org/?a=b"
            })
    void leavesTargetAndHostAsTheyAre(String target, Traffic traffic) throws Exception {
        LinkedBlockingQueue<HttpHead> seen = new LinkedBlockingQueue<>();
        traffic.http().on("seen", exchange -> {
            seen.add(exchange.head());
            exchange.respond("ok");
        });

        Answer answer = exchange(traffic, "GET " + target + " HTTP/1.1\r\nOrigin: https://shop.example\r\n");

        assertThat(answer.body()).isEqualTo("ok");
        HttpHead head = seen.take();
        assertThat(head.startLine()).isEqualTo("GET " + target + " HTTP/1.1");
        assertThat(head.values("Host")).containsExactly(traffic.authority());
        assertThat(head.values("Origin")).containsExactly("https://shop.example");
    }

    @Test
    void keepsRepeatedFieldsAndTheirOrder(Traffic traffic) throws Exception {
        LinkedBlockingQueue<HttpHead> seen = new LinkedBlockingQueue<>();
        traffic.http().on("fields", exchange -> {
            seen.add(exchange.head());
            exchange.respond("Set-Cookie: a=1\r\nSet-Cookie: b=2; Path=/\r\nX-Empty:\r\n", "ok");
        });

        Answer answer = exchange(traffic, "GET /fields HTTP/1.1\r\nAccept: text/plain\r\nX-Two: 1\r\nX-Two: 2\r\n");

        assertThat(seen.take().values("X-Two")).containsExactly("1", "2");
        assertThat(answer.head().values("Set-Cookie")).containsExactly("a=1", "b=2; Path=/");
        assertThat(answer.head().values("X-Empty")).containsExactly("");
    }

    @Test
    void givesHeadTheLengthButNoBody(Traffic traffic) throws Exception {
        traffic.http().on("head", exchange -> exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"));

        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, "HEAD /head HTTP/1.1\r\n"));
            HttpHead head = caller.readHead();
            caller.send(request(traffic, "GET /ping HTTP/1.1\r\n"));
            Answer next = caller.readAnswer();

            assertThat(head.startLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(head.field("Content-Length")).hasValue("1234");
            assertThat(next.body()).isEqualTo("pong");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"204 No Content", "304 Not Modified", "205 Reset Content"})
    void knowsTheStatusesWithoutABody(String status, Traffic traffic) throws Exception {
        traffic.http()
                .on(
                        "bodiless",
                        exchange -> exchange.send("HTTP/1.1 " + status + "\r\nETag: \"v1\"\r\n"
                                + (status.startsWith("205") ? "Content-Length: 0\r\n" : "") + "\r\n"));

        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, "GET /bodiless HTTP/1.1\r\nIf-None-Match: \"v1\"\r\n"));
            HttpHead head = caller.readHead();
            caller.send(request(traffic, "GET /ping HTTP/1.1\r\n"));
            Answer next = caller.readAnswer();

            assertThat(head.startLine()).isEqualTo("HTTP/1.1 " + status);
            assertThat(head.field("ETag")).hasValue("\"v1\"");
            assertThat(next.body()).isEqualTo("pong");
        }
    }

    @Test
    void passesChunksAndTrailersOnInBothDirections(Traffic traffic) throws Exception {
        traffic.http().on("chunks", exchange -> {
            byte[] body = HttpHead.readChunks(exchange.in());
            List<HttpHead.Field> trailers = HttpHead.readFields(exchange.in());
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n");
            exchange.sendChunk(body.length + " bytes");
            exchange.sendChunk(", trailers " + trailers);
            exchange.send("0\r\nX-Sum: 42\r\n\r\n");
        });

        try (RawCaller caller = traffic.call()) {
            caller.send(request(
                    traffic,
                    "POST /chunks HTTP/1.1\r\nTE: trailers\r\nTrailer: X-Check\r\nTransfer-Encoding: chunked\r\n"));
            caller.sendChunk("hello ");
            caller.sendChunk("world");
            caller.send("0\r\nX-Check: 7\r\n\r\n");
            HttpHead head = caller.readHead();
            String body = new String(HttpHead.readChunks(caller.in()), StandardCharsets.UTF_8);
            List<HttpHead.Field> trailers = HttpHead.readFields(caller.in());

            assertThat(head.chunked()).isTrue();
            assertThat(body).isEqualTo("11 bytes, trailers [Field[name=X-Check, value=7]]");
            assertThat(trailers).containsExactly(new HttpHead.Field("X-Sum", "42"));
        }
    }

    @Test
    void asksForTheBodyOnlyWhenTheServiceDoes(Traffic traffic) throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        traffic.http().on("expect", exchange -> {
            goOn.await();
            exchange.send("HTTP/1.1 100 Continue\r\n\r\n");
            exchange.respond("got " + new String(exchange.readBody(), StandardCharsets.UTF_8));
        });

        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, "POST /expect HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n"));
            goOn.countDown();
            HttpHead interim = caller.readHead();
            caller.send("body");
            Answer answer = caller.readAnswer();

            assertThat(interim.startLine()).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(answer.statusLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(answer.body()).isEqualTo("got body");
        }
    }

    @Test
    void passesARefusalOnInsteadOfTheInvitation(Traffic traffic) throws Exception {
        traffic.http().on("refusing", exchange -> {
            exchange.send("HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno");
            exchange.close();
        });

        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, "POST /refusing HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n"));
            Answer answer = caller.readAnswer();

            assertThat(answer.status()).isEqualTo(417);
            assertThat(answer.body()).isEqualTo("no");
        }
    }

    @Test
    void refusesAHeaderOf64KibibytesAndTakesOneOf16(Traffic traffic) throws Exception {
        traffic.http()
                .on(
                        "big",
                        exchange -> exchange.respond(String.valueOf(
                                exchange.head().field("X-Big").orElse("").length())));

        Answer tolerable = exchange(traffic, "GET /big HTTP/1.1\r\nX-Big: " + "a".repeat(16 * 1024) + "\r\n");
        Answer excessive = exchange(traffic, "GET /big HTTP/1.1\r\nX-Big: " + "a".repeat(64 * 1024) + "\r\n");

        assertThat(tolerable.body()).isEqualTo("16384");
        assertThat(excessive.status()).isEqualTo(431);
        assertThat(excessive.head().field("Content-Type")).hasValue("text/plain; charset=utf-8");
    }

    @Test
    void usesAConnectionToTheServiceAgain(Traffic traffic) throws Exception {
        traffic.http().on("number", exchange -> exchange.respond(String.valueOf(exchange.connection())));
        int before = traffic.http().connections();

        try (RawCaller caller = traffic.call()) {
            for (int i = 0; i < 50; i++) {
                caller.send(request(traffic, "GET /number HTTP/1.1\r\n"));
                assertThat(caller.readAnswer().status()).isEqualTo(200);
            }
        }

        // Two, since the caller may be quicker with the next request than the engine with taking the connection back.
        assertThat(traffic.http().connections() - before).isLessThanOrEqualTo(2);
    }

    @Test
    void answersARequestThatComesBeforeTheLastIsAnswered(Traffic traffic) throws Exception {
        traffic.http().on("pipelined", exchange -> exchange.respond(exchange.target()));

        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, "GET /pipelined/1 HTTP/1.1\r\n")
                    + request(traffic, "GET /pipelined/2 HTTP/1.1\r\n")
                    + request(traffic, "GET /pipelined/3 HTTP/1.1\r\n"));

            for (int i = 1; i <= 3; i++) {
                assertThat(caller.readAnswer().body()).isEqualTo("/pipelined/" + i);
            }
        }
    }

    @Test
    void carriesTheRequestOnAfterTheResponseHasBegun(Traffic traffic) throws Exception {
        traffic.http().on("duplex", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            exchange.sendChunk("begun");
            for (byte[] chunk = HttpHead.readChunk(exchange.in());
                    chunk.length > 0;
                    chunk = HttpHead.readChunk(exchange.in())) {
                exchange.sendChunk("echo " + new String(chunk, StandardCharsets.UTF_8));
            }
            HttpHead.readFields(exchange.in());
            exchange.send("0\r\n\r\n");
        });

        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, "POST /duplex HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"));
            assertThat(caller.readHead().startLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(chunk(caller)).isEqualTo("begun");
            for (int i = 0; i < 5; i++) {
                caller.sendChunk("part " + i);
                assertThat(chunk(caller)).isEqualTo("echo part " + i);
            }
            caller.send("0\r\n\r\n");
            assertThat(chunk(caller)).isEmpty();
        }
    }

    @Test
    void passesOnABodyThatEndsWithTheConnection(Traffic traffic) throws Exception {
        traffic.http().on("until-close", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nno length, no chunks");
            exchange.close();
        });

        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, "GET /until-close HTTP/1.1\r\n"));
            HttpHead head = caller.readHead();
            String body = head.chunked()
                    ? new String(HttpHead.readChunks(caller.in()), StandardCharsets.UTF_8)
                    : caller.readToEnd();

            assertThat(body).isEqualTo("no length, no chunks");
        }
    }

    @Test
    void neverPassesACutBodyOffAsAWholeOne(Traffic traffic) throws Exception {
        traffic.http().on("cut", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            exchange.sendChunk("begun");
            exchange.close();
        });

        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, "GET /cut HTTP/1.1\r\n"));
            HttpHead head = caller.readHead();
            String begun = chunk(caller);

            assertThat(head.chunked()).isTrue();
            assertThat(begun).isEqualTo("begun");
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> chunk(caller))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(java.net.SocketTimeoutException.class);
        }
    }

    @Test
    void answers502WhenTheServiceSaysNothingAndGoesAway(Traffic traffic) throws Exception {
        traffic.http().on("silent-end", exchange -> exchange.close());

        Answer answer = exchange(traffic, "GET /silent-end HTTP/1.1\r\n");

        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.head().field("Content-Type")).hasValue("text/plain; charset=utf-8");
        assertThat(answer.body()).isNotBlank();
    }

    static Answer exchange(Traffic traffic, String request) throws IOException {
        try (RawCaller caller = traffic.call()) {
            caller.send(request(traffic, request));
            return caller.readAnswer();
        }
    }

    private static String chunk(RawCaller caller) throws IOException {
        return new String(HttpHead.readChunk(caller.in()), StandardCharsets.UTF_8);
    }

    private static String request(Traffic traffic, String head) {
        return head + "Host: " + traffic.authority() + "\r\n\r\n";
    }
}
