package io.rstream.e2e.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.e2e.traffic.RawCaller.Answer;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** More data than agent and engine have memory. They end at once when their heap or direct memory does not suffice. */
@ExtendWith(TrafficExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BulkTransferE2E {
    private static final long GIBIBYTE = 1L << 30;
    private static final long MEBIBYTE = 1L << 20;

    /** More than every buffer on the way together: both processes' memory and the kernel's for six sockets. */
    private static final long MOST_ON_THE_WAY = 160 * MEBIBYTE;

    private static String gibibyteDigest;

    @BeforeAll
    static void computeDigest() {
        gibibyteDigest = Payload.digest(GIBIBYTE);
    }

    @Test
    void bringsAGibibyteDownUnchanged(Traffic traffic) throws Exception {
        traffic.http().on("down", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + GIBIBYTE + "\r\n\r\n");
            Payload.write(exchange.out(), GIBIBYTE);
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_1_1)) {
            HttpResponse<InputStream> response =
                    client.send(HttpRequest.newBuilder(traffic.uri("/down")).build(), BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                assertThat(Payload.digest(body, GIBIBYTE)).isEqualTo(gibibyteDigest);
                assertThat(body.read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void bringsAGibibyteUpUnchanged(Traffic traffic) throws Exception {
        traffic.http().on("up", exchange -> {
            long length =
                    exchange.head().field("Content-Length").map(Long::parseLong).orElse(0L);
            exchange.respond(length + " " + Payload.digest(exchange.in(), length));
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_1_1)) {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(traffic.uri("/up"))
                            .POST(BodyPublishers.fromPublisher(
                                    BodyPublishers.ofInputStream(() -> Payload.stream(GIBIBYTE)), GIBIBYTE))
                            .build(),
                    BodyHandlers.ofString());

            assertThat(response.body()).isEqualTo(GIBIBYTE + " " + gibibyteDigest);
        }
    }

    @Test
    void bringsDataBothWaysAtOnceThroughATcpTunnel(Traffic traffic) throws Exception {
        long length = 256 * MEBIBYTE;
        String digest = Payload.digest(length);
        traffic.tcp().serve(connection -> {
            OutputStream out = connection.getOutputStream();
            Thread writer = Thread.ofVirtual().start(() -> write(out, length));
            String received = Payload.digest(connection.getInputStream(), length);
            writer.join();
            out.write(received.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
        });

        try (RawCaller caller = traffic.dial()) {
            OutputStream out = caller.out();
            Thread writer = Thread.ofVirtual().start(() -> write(out, length));
            String down = Payload.digest(caller.in(), length);
            writer.join();

            assertThat(down).isEqualTo(digest);
            assertThat(caller.readText(digest.length())).isEqualTo(digest);
        }
    }

    @Test
    void holdsBackTheServiceOfASlowReaderWhileOthersGoOn(Traffic traffic) throws Exception {
        long length = 512 * MEBIBYTE;
        AtomicLong written = new AtomicLong();
        traffic.http().on("slow", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
            writeCounting(exchange.out(), length, written);
        });

        try (RawCaller reader = traffic.call()) {
            reader.send("GET /slow HTTP/1.1\r\nHost: " + traffic.authority() + "\r\n\r\n");
            HttpHead head = reader.readHead();
            awaitStandstill(written);

            assertThat(head.startLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(written.get()).isPositive().isLessThan(MOST_ON_THE_WAY);
            pingOnANewConnection(traffic);
            assertThat(Payload.digest(reader.in(), length)).isEqualTo(Payload.digest(length));
        }
    }

    @Test
    void holdsBackTheCallerOfASlowServiceWhileOthersGoOn(Traffic traffic) throws Exception {
        long length = 512 * MEBIBYTE;
        CountDownLatch goOn = new CountDownLatch(1);
        traffic.http().on("sluggish", exchange -> {
            goOn.await();
            exchange.respond(Payload.digest(exchange.in(), length));
        });

        AtomicLong written = new AtomicLong();
        try (RawCaller caller = traffic.call()) {
            caller.send("POST /sluggish HTTP/1.1\r\nHost: " + traffic.authority() + "\r\nContent-Length: " + length
                    + "\r\n\r\n");
            OutputStream out = caller.out();
            Thread writer = Thread.ofVirtual().start(() -> writeCounting(out, length, written));
            awaitStandstill(written);

            assertThat(written.get()).isPositive().isLessThan(MOST_ON_THE_WAY);
            pingOnANewConnection(traffic);
            goOn.countDown();
            writer.join();
            assertThat(caller.readAnswer().body()).isEqualTo(Payload.digest(length));
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void holdsBackTheServiceOfASlowReaderOfATcpTunnel(Traffic traffic) throws Exception {
        long length = 512 * MEBIBYTE;
        AtomicLong written = new AtomicLong();
        traffic.tcp().serve(connection -> writeCounting(connection.getOutputStream(), length, written));

        try (RawCaller reader = traffic.dial()) {
            awaitStandstill(written);

            assertThat(written.get()).isPositive().isLessThan(MOST_ON_THE_WAY);
            traffic.tcp().serve(connection -> connection.getOutputStream().write('!'));
            try (RawCaller other = traffic.dial()) {
                assertThat(other.readToEnd()).isEqualTo("!");
            }
            assertThat(Payload.digest(reader.in(), length)).isEqualTo(Payload.digest(length));
        }
    }

    private static void pingOnANewConnection(Traffic traffic) throws Exception {
        try (RawCaller other = traffic.call()) {
            for (int i = 0; i < 20; i++) {
                other.send("GET /ping HTTP/1.1\r\nHost: " + traffic.authority() + "\r\n\r\n");
                Answer answer = other.readAnswer();
                assertThat(answer.body()).isEqualTo("pong");
            }
        }
    }

    /** Until the number has been the same for a second and more than nothing. */
    private static void awaitStandstill(AtomicLong number) {
        AtomicLong previous = new AtomicLong(-1);
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> number.get() > 0 && previous.getAndSet(number.get()) == number.get());
    }

    private static void write(OutputStream out, long length) {
        writeCounting(out, length, new AtomicLong());
    }

    private static void writeCounting(OutputStream out, long length, AtomicLong written) {
        byte[] buffer = new byte[64 * 1024];
        try (InputStream source = Payload.stream(length)) {
            for (int count = source.read(buffer); count >= 0; count = source.read(buffer)) {
                out.write(buffer, 0, count);
                written.addAndGet(count);
            }
            out.flush();
        } catch (java.io.IOException cut) {
            throw new java.io.UncheckedIOException(cut);
        }
    }
}
