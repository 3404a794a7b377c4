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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many requests at once, each held at the service until all have arrived, so that they really are at once. */
@ExtendWith(TrafficExtension.class)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ConcurrencyE2E {

    @Test
    void answersFiveHundredRequestsThatAreOpenAtOnce(Traffic traffic) throws Exception {
        int count = 500;
        CountDownLatch all = new CountDownLatch(count);
        traffic.http().on("together", exchange -> {
            all.countDown();
            assertThat(all.await(2, TimeUnit.MINUTES)).isTrue();
            exchange.respond(exchange.target());
        });

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_1_1)) {
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                answers.add(client.sendAsync(
                        HttpRequest.newBuilder(traffic.uri("/together/" + i)).build(), BodyHandlers.ofString()));
            }
            for (int i = 0; i < count; i++) {
                HttpResponse<String> answer = answers.get(i).get(3, TimeUnit.MINUTES);
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo("/together/" + i);
            }
        }
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
