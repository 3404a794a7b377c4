package io.rstream.e2e.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** HTTP/2 between caller and engine, HTTP/1.1 behind it (rstream protocol, section 17.1). */
@ExtendWith(TrafficExtension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class Http2E2E {

    @Test
    void givesTheServiceAnOrdinaryRequest(Traffic traffic) throws Exception {
        LinkedBlockingQueue<HttpHead> seen = new LinkedBlockingQueue<>();
        traffic.http().on("h2-seen", exchange -> {
            seen.add(exchange.head());
            exchange.respond("Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: keep-alive\r\n", "over two");
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(traffic.uri("/h2-seen/directory/?q=%20"))
                            .build(),
                    BodyHandlers.ofString());

            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(response.body()).isEqualTo("over two");
            assertThat(response.headers().allValues("set-cookie")).containsExactly("a=1", "b=2");
            assertThat(response.headers().firstValue("connection")).isEmpty();
            HttpHead head = seen.take();
            assertThat(head.startLine()).isEqualTo("GET /h2-seen/directory/?q=%20 HTTP/1.1");
            assertThat(head.values("Host")).containsExactly(traffic.authority());
        }
    }

    @Test
    void carriesManyStreamsOnOneConnectionAtOnce(Traffic traffic) throws Exception {
        int count = 20;
        CountDownLatch all = new CountDownLatch(count);
        traffic.http().on("h2-many", exchange -> {
            all.countDown();
            assertThat(all.await(1, TimeUnit.MINUTES)).isTrue();
            exchange.respond("done");
        });
        List<String> arguments = new ArrayList<>(List.of(
                "--http2",
                "--parallel",
                "--parallel-max",
                "50",
                "-w",
                "%{http_version} %{num_connects} %{http_code}\n"));
        for (int i = 0; i < count; i++) {
            arguments.addAll(List.of("-o", "/dev/null", "--resolve", traffic.authority() + ":127.0.0.1"));
            arguments.add(traffic.uri("/h2-many/" + i).toString());
        }

        List<String> lines =
                traffic.curl(arguments.toArray(String[]::new)).lines().toList();

        assertThat(lines).hasSize(count).allMatch(line -> line.startsWith("2 ") && line.endsWith(" 200"));
        assertThat(lines.stream()
                        .mapToInt(line -> Integer.parseInt(line.split(" ")[1]))
                        .sum())
                .as("connections")
                .isEqualTo(1);
    }

    @Test
    void bringsLargeBodiesUpAndDown(Traffic traffic) throws Exception {
        long length = 32L << 20;
        String digest = Payload.digest(length);
        traffic.http().on("h2-up", exchange -> {
            assertThat(exchange.head().field("Content-Length")).hasValue(String.valueOf(length));
            exchange.respond(Payload.digest(exchange.in(), length));
        });
        traffic.http().on("h2-down", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
            Payload.write(exchange.out(), length);
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            HttpResponse<String> up = client.send(
                    HttpRequest.newBuilder(traffic.uri("/h2-up"))
                            .POST(BodyPublishers.fromPublisher(
                                    BodyPublishers.ofInputStream(() -> Payload.stream(length)), length))
                            .build(),
                    BodyHandlers.ofString());
            HttpResponse<InputStream> down =
                    client.send(HttpRequest.newBuilder(traffic.uri("/h2-down")).build(), BodyHandlers.ofInputStream());

            assertThat(up.body()).isEqualTo(digest);
            try (InputStream body = down.body()) {
                assertThat(Payload.digest(body, length)).isEqualTo(digest);
                assertThat(body.read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void sendsABodyWithoutALengthInChunks(Traffic traffic) throws Exception {
        traffic.http()
                .on(
                        "h2-chunks",
                        exchange -> exchange.respond(exchange.head().chunked() + " "
                                + new String(exchange.readBody(), StandardCharsets.UTF_8)));

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(traffic.uri("/h2-chunks"))
                            .POST(BodyPublishers.ofInputStream(() ->
                                    new java.io.ByteArrayInputStream("no length".getBytes(StandardCharsets.UTF_8))))
                            .build(),
                    BodyHandlers.ofString());

            assertThat(response.body()).isEqualTo("true no length");
        }
    }

    @Test
    void letsOtherStreamsOfAConnectionPassASlowOne(Traffic traffic) throws Exception {
        long length = 64L << 20;
        traffic.http().on("h2-slow", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
            Payload.write(exchange.out(), length);
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            HttpResponse<InputStream> slow =
                    client.send(HttpRequest.newBuilder(traffic.uri("/h2-slow")).build(), BodyHandlers.ofInputStream());
            for (int i = 0; i < 20; i++) {
                HttpResponse<String> other =
                        client.send(HttpRequest.newBuilder(traffic.uri("/ping")).build(), BodyHandlers.ofString());
                assertThat(other.body()).isEqualTo("pong");
            }

            try (InputStream body = slow.body()) {
                assertThat(Payload.digest(body, length)).isEqualTo(Payload.digest(length));
            }
        }
    }

    @Test
    void deliversEventsUnbuffered(Traffic traffic) throws Exception {
        Semaphore next = new Semaphore(0);
        traffic.http().on("h2-events", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 10; i++) {
                exchange.sendChunk("data: event %02d\n\n".formatted(i));
                assertThat(next.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            }
            exchange.send("0\r\n\r\n");
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            HttpResponse<InputStream> response = client.send(
                    HttpRequest.newBuilder(traffic.uri("/h2-events")).build(), BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                for (int i = 0; i < 10; i++) {
                    assertThat(new String(body.readNBytes(16), StandardCharsets.UTF_8))
                            .isEqualTo("data: event %02d\n\n".formatted(i));
                    next.release();
                }
                assertThat(body.read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void passesTrailersOn(Traffic traffic) throws Exception {
        traffic.http().on("h2-trailers", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n");
            exchange.sendChunk("body");
            exchange.send("0\r\nX-Sum: 42\r\n\r\n");
        });

        String output = traffic.curl(
                "--http2",
                "--include",
                "--resolve",
                traffic.authority() + ":127.0.0.1",
                traffic.uri("/h2-trailers").toString());

        assertThat(output).startsWith("HTTP/2 200").containsSubsequence("\r\n\r\nbody", "x-sum: 42");
    }

    @Test
    void knowsHeadAndStatusesWithoutABody(Traffic traffic) throws Exception {
        traffic.http().on("h2-head", exchange -> exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"));
        traffic.http().on("h2-204", exchange -> exchange.send("HTTP/1.1 204 No Content\r\n\r\n"));
        traffic.http().on("h2-304", exchange -> exchange.send("HTTP/1.1 304 Not Modified\r\nETag: \"v\"\r\n\r\n"));

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            HttpResponse<String> head = client.send(
                    HttpRequest.newBuilder(traffic.uri("/h2-head")).HEAD().build(), BodyHandlers.ofString());
            HttpResponse<String> noContent =
                    client.send(HttpRequest.newBuilder(traffic.uri("/h2-204")).build(), BodyHandlers.ofString());
            HttpResponse<String> notModified =
                    client.send(HttpRequest.newBuilder(traffic.uri("/h2-304")).build(), BodyHandlers.ofString());

            assertThat(head.headers().firstValue("content-length")).hasValue("1234");
            assertThat(head.body()).isEmpty();
            assertThat(noContent.statusCode()).isEqualTo(204);
            assertThat(notModified.statusCode()).isEqualTo(304);
            assertThat(notModified.headers().firstValue("etag")).hasValue("\"v\"");
        }
    }

    @Test
    void invitesTheBodyWhenTheServiceDoes(Traffic traffic) throws Exception {
        traffic.http().on("h2-expect", exchange -> {
            exchange.send("HTTP/1.1 100 Continue\r\n\r\n");
            exchange.respond("got " + new String(exchange.readBody(), StandardCharsets.UTF_8));
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(traffic.uri("/h2-expect"))
                            .expectContinue(true)
                            .POST(BodyPublishers.ofString("body"))
                            .build(),
                    BodyHandlers.ofString());

            assertThat(response.body()).isEqualTo("got body");
        }
    }

    @Test
    void refusesAHeaderOf64KibibytesWithoutHarmToTheConnection(Traffic traffic) throws Exception {
        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            client.send(HttpRequest.newBuilder(traffic.uri("/ping")).build(), BodyHandlers.discarding());
            HttpResponse<String> refused = client.send(
                    HttpRequest.newBuilder(traffic.uri("/ping"))
                            .header("X-Big", "a".repeat(64 * 1024))
                            .build(),
                    BodyHandlers.ofString());
            HttpResponse<String> next =
                    client.send(HttpRequest.newBuilder(traffic.uri("/ping")).build(), BodyHandlers.ofString());

            assertThat(refused.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(refused.statusCode()).isEqualTo(431);
            assertThat(next.body()).isEqualTo("pong");
        }
    }

    @Test
    void tellsTheServiceWhenAStreamIsCancelled(Traffic traffic) throws Exception {
        LinkedBlockingQueue<String> ends = new LinkedBlockingQueue<>();
        traffic.http().on("h2-cancel", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            exchange.sendChunk("begun");
            try {
                ends.add(exchange.in().read() < 0 ? "end" : "data");
            } catch (java.io.IOException reset) {
                ends.add("reset");
            }
            exchange.close();
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            HttpResponse<InputStream> response = client.send(
                    HttpRequest.newBuilder(traffic.uri("/h2-cancel")).build(), BodyHandlers.ofInputStream());
            response.body().readNBytes(5);
            response.body().close();

            assertThat(ends.poll(30, TimeUnit.SECONDS)).isIn("end", "reset");
            CompletableFuture<HttpResponse<String>> next = client.sendAsync(
                    HttpRequest.newBuilder(traffic.uri("/ping")).build(), BodyHandlers.ofString());
            assertThat(next.get(30, TimeUnit.SECONDS).body()).isEqualTo("pong");
        }
    }
}
