package io.rstream.e2e.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.e2e.process.LogLine;
import io.rstream.process.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Secret gets another token while callers come in: its agent takes that up, and stays the process that it is. */
class CredentialRotationE2E {
    private static final Installation INSTALLATION = Installation.shared();
    private static final String SUBJECT = "rotation";

    private Tenant tenant;

    @BeforeEach
    void start() throws Exception {
        tenant = Tenant.empty(INSTALLATION, "rotation");
        tenant.secret(Tenant.CREDENTIALS, token(SUBJECT));
        tenant.connection(INSTALLATION.engine().address(), Tenant.CREDENTIALS);
        tenant.service("web", "http", 8080);
        tenant.answer("web", 8080, tenant.greeting());
        tenant.httpTunnel("web", "web", "http");
        awaitSessionAfter("");
        eventually().untilAsserted(() -> assertThat(tenant.call("web")).isEqualTo(tenant.greeting()));
    }

    @AfterEach
    void stop() {
        tenant.close();
    }

    @Test
    @Tag("parity-80")
    @Tag("parity-87")
    void aNewTokenServesBeforeTheOldSessionEndsAndNoRequestFails() throws Exception {
        var pod = pod();
        try (var callers = new Callers()) {
            var first = session();

            tenant.secret(Tenant.CREDENTIALS, token(SUBJECT));

            var second = awaitSessionAfter(first);
            awaitEngine("Tunnel closed", first);
            callers.more();
            assertThat(callers.failures()).isEmpty();
            assertThat(engineLines())
                    .containsSubsequence("Tunnel online " + second, "Tunnel closed " + first)
                    .doesNotContain("Tunnel closed " + second);
        }
        assertThat(pod().getMetadata().getUid()).isEqualTo(pod.getMetadata().getUid());
        assertThat(restarts(pod())).isZero();
        assertThat(tenant.words("web", ConditionType.READY)).startsWith("True Ready");
    }

    @Test
    void aTokenThatDoesNotWorkIsNamedAndCutsNothing() throws Exception {
        try (var callers = new Callers()) {
            var first = session();

            tenant.secret(Tenant.CREDENTIALS, Secret.of("not-a-token"));

            eventually()
                    .untilAsserted(() -> assertThat(tenant.words("web", ConditionType.TUNNEL_READY))
                            .startsWith("True TunnelOnline: Tunnel is online from agent pod ")
                            .contains("The changed credentials do not work, so the previous ones stay in use: ")
                            .contains("engine error 1000"));
            callers.more();
            assertThat(session()).isEqualTo(first);
            tenant.secret(Tenant.CREDENTIALS, token(SUBJECT));
            awaitSessionAfter(first);
            callers.more();
            assertThat(callers.failures()).isEmpty();
        }
        assertThat(tenant.words("web", ConditionType.TUNNEL_READY))
                .endsWith(pod().getMetadata().getName() + ".");
    }

    /** The engine does not let strangers share a tunnel; the agent makes room, since its user has changed who it is. */
    @Test
    void aTokenOfSomebodyElseTakesTheTunnelOver() throws Exception {
        var pod = pod();
        var first = session();

        tenant.secret(Tenant.CREDENTIALS, token("somebody-else"));

        awaitSessionAfter(first);
        assertThat(pod().getMetadata().getUid()).isEqualTo(pod.getMetadata().getUid());
        assertThat(restarts(pod())).isZero();
    }

    private static Secret token(String subject) throws IOException {
        return INSTALLATION.engine().token("--subject", subject);
    }

    /** The engine's id of the tunnel, another one for each session. */
    private String session() {
        var id = tenant.status("web").tunnelID();
        return id == null ? "" : id;
    }

    private String awaitSessionAfter(String before) {
        eventually().untilAsserted(() -> {
            assertThat(session()).as("%s", tenant.status("web")).isNotEmpty().isNotEqualTo(before);
            assertThat(tenant.words("web", ConditionType.READY)).startsWith("True Ready");
        });
        return session();
    }

    private static void awaitEngine(String message, String tunnelId) {
        eventually().untilAsserted(() -> assertThat(engineLines()).contains(message + " " + tunnelId));
    }

    /** What the engine says about tunnels, in order, as {@code <message> <tunnel id>}. */
    private static List<String> engineLines() {
        return INSTALLATION.engine().process().log().lines().stream()
                .filter(line -> line.value("tunnelId").isPresent())
                .map(CredentialRotationE2E::words)
                .toList();
    }

    private static String words(LogLine line) {
        return line.message() + " " + line.value("tunnelId").orElse("");
    }

    private Pod pod() {
        var pods = INSTALLATION
                .client()
                .pods()
                .inNamespace(tenant.namespace())
                .list()
                .getItems();
        assertThat(pods).hasSize(1);
        return pods.getFirst();
    }

    private static int restarts(Pod pod) {
        return pod.getStatus().getContainerStatuses().getFirst().getRestartCount();
    }

    private static ConditionFactory eventually() {
        return await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(250));
    }

    /** Two callers, one on a connection that is kept and one on new connections; each asks again as soon as it has the answer. */
    private final class Callers implements AutoCloseable {
        private final URI address = URI.create(String.valueOf(tenant.address("web")));
        private final SSLContext trust;
        private final AtomicInteger answered = new AtomicInteger();
        private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
        private final CountDownLatch ended = new CountDownLatch(2);
        private volatile boolean stopping;

        Callers() throws Exception {
            trust = Trusting.only(INSTALLATION.engine().caFile());
            var kept = client();
            Thread.ofVirtual().start(() -> call(kept, false));
            Thread.ofVirtual().start(() -> call(kept, true));
            more();
        }

        private HttpClient client() {
            return HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .sslContext(trust)
                    .build();
        }

        private void call(HttpClient kept, boolean anew) {
            while (!stopping) {
                var client = anew ? client() : kept;
                try {
                    ask(client);
                } catch (IOException e) {
                    failures.add(e.toString());
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                    stopping = true;
                } finally {
                    if (anew) {
                        client.close();
                    }
                }
            }
            ended.countDown();
        }

        /** A POST, since the JDK's client asks a second time for a GET that failed. */
        private void ask(HttpClient client) throws IOException, InterruptedException {
            var request = HttpRequest.newBuilder(address)
                    .timeout(Duration.ofSeconds(60))
                    .POST(BodyPublishers.ofString("x"))
                    .build();
            var answer = client.send(request, BodyHandlers.ofString());
            if (answer.statusCode() == 200 && answer.body().equals(tenant.greeting())) {
                answered.incrementAndGet();
            } else {
                failures.add(answer.statusCode() + " " + answer.body());
            }
        }

        /** A while in which nothing changes. */
        void more() {
            var from = answered.get();
            eventually().until(() -> answered.get() > from + 20);
        }

        List<String> failures() {
            return List.copyOf(failures);
        }

        @Override
        public void close() throws InterruptedException {
            stopping = true;
            ended.await();
        }
    }
}
