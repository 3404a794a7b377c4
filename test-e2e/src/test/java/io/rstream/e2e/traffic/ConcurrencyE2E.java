package io.rstream.e2e.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many requests at once, each held at the service until all have arrived, so that they really are open at once. */
@ExtendWith(TrafficExtension.class)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ConcurrencyE2E {
    /**
     * So many begin at once. Each costs two TLS handshakes with 10 s for each of them, and this machine may have to do other
     * things: 500 at once took 31 s on it, with 191 handshakes that the engine ended and the agent tried again.
     */
    private static final int WAVE = 50;

    @Test
    void answersFiveHundredRequestsThatAreOpenAtOnce(Traffic traffic) throws Exception {
        int count = 500;
        Semaphore arrived = new Semaphore(0);
        CountDownLatch answer = new CountDownLatch(1);
        traffic.http().on("together", exchange -> {
            arrived.release();
            answer.await();
            exchange.respond(exchange.target());
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_1_1)) {
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            boolean together = true;
            while (together && answers.size() < count) {
                for (int i = 0; i < WAVE; i++) {
                    answers.add(client.sendAsync(
                            HttpRequest.newBuilder(traffic.uri("/together/" + answers.size()))
                                    .build(),
                            BodyHandlers.ofString()));
                }
                together = arrived.tryAcquire(WAVE, 2, TimeUnit.MINUTES);
            }
            List<String> early = answers.stream()
                    .filter(CompletableFuture::isDone)
                    .map(ConcurrencyE2E::describe)
                    .toList();
            answer.countDown();

            assertThat(together)
                    .as("all at the service; answers before that: %s", early)
                    .isTrue();
            for (int i = 0; i < count; i++) {
                assertThat(describe(answers.get(i))).isEqualTo("200 /together/" + i);
            }
        } finally {
            answer.countDown();
        }
    }

    private static String describe(CompletableFuture<HttpResponse<String>> answer) {
        return answer.handle((response, failure) ->
                        failure == null ? response.statusCode() + " " + response.body() : failure.toString())
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
    }

    @Test
    void answersFiveHundredRequestsOverFewHttp2Connections(Traffic traffic) throws Exception {
        int count = 500;
        traffic.http().on("over-h2", exchange -> exchange.respond(exchange.target()));

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_2)) {
            client.send(HttpRequest.newBuilder(traffic.uri("/ping")).build(), BodyHandlers.discarding());
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int round = 0; round < 10; round++) {
                for (int i = 0; i < count / 10; i++) {
                    answers.add(client.sendAsync(
                            HttpRequest.newBuilder(traffic.uri("/over-h2/" + answers.size()))
                                    .build(),
                            BodyHandlers.ofString()));
                }
                CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                        .get(2, TimeUnit.MINUTES);
            }

            for (int i = 0; i < count; i++) {
                assertThat(answers.get(i).get().version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(answers.get(i).get().body()).isEqualTo("/over-h2/" + i);
            }
        }
    }
}
