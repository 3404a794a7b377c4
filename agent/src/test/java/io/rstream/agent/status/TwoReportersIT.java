package io.rstream.agent.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.agent.session.FailureKind;
import io.rstream.agent.session.OnlineTunnel;
import io.rstream.agent.session.TunnelEvent;
import io.rstream.testcluster.Call;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent and the one that replaces it share one status on the real API server. */
class TwoReportersIT {
    private static final TunnelEvent ONLINE = new TunnelEvent.Online(new OnlineTunnel("t", "https://a"));
    private static final TunnelEvent LOST = new TunnelEvent.Disconnected("the engine is away", FailureKind.PASSING);
    private static final TunnelEvent CLAIMED =
            new TunnelEvent.Disconnected("create tunnel: Hostname is already in use.", FailureKind.CLAIMED);
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private SharedTunnel tunnel;
    private StatusReporter before;
    private StatusReporter after;

    @BeforeEach
    void start() throws Exception {
        tunnel = SharedTunnel.in(directory);
        before = tunnel.agent("before", SharedTunnel.OLD);
        after = tunnel.agent("after", SharedTunnel.WANTED);
    }

    @AfterEach
    void stop() throws Exception {
        before.close();
        after.close();
        tunnel.close();
    }

    private void awaitReport(String report) {
        await().atMost(LONG).untilAsserted(() -> assertThat(tunnel.report()).isEqualTo(report));
    }

    private String next(String field) {
        return tunnel.status().path("nextAgent").path(field).asText();
    }

    @Tag("parity-128")
    @Tag("parity-132")
    @Test
    void theReportMovesWhenTheNewAgentIsOnlineAndNotBefore() throws Exception {
        before.accept(ONLINE);
        awaitReport("before TunnelOnline");

        after.accept(new TunnelEvent.Connecting());
        after.accept(CLAIMED);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(next("claimRefused")).isEqualTo("true"));
        assertThat(next("pod")).isEqualTo("after");
        assertThat(next("configHash")).isEqualTo(SharedTunnel.WANTED);
        assertThat(next("error")).isEqualTo("create tunnel: Hostname is already in use.");
        assertThat(tunnel.report()).isEqualTo("before TunnelOnline");
        assertThat(tunnel.status().path("agent").has("generation")).isFalse();

        after.accept(ONLINE);
        awaitReport("after TunnelOnline");
        await().atMost(LONG).untilAsserted(() -> assertThat(next("pod")).isEmpty());
        assertThat(tunnel.status().at("/agent/generation").asLong()).isEqualTo(1);

        before.accept(new TunnelEvent.ShuttingDown());
        before.close();
        assertThat(tunnel.report()).isEqualTo("after TunnelOnline");
    }

    @Tag("parity-129")
    @Tag("parity-130")
    @Test
    void theOldAgentReportsAgainWhenTheNewOneDiedAndItsReportIsWithdrawn() throws Exception {
        before.accept(ONLINE);
        awaitReport("before TunnelOnline");
        after.accept(ONLINE);
        awaitReport("after TunnelOnline");
        after.close();
        tunnel.api.forgetCalls();
        await().atMost(LONG).until(() -> tunnel.api.calls().size() >= 3);
        assertThat(tunnel.api.calls()).noneMatch(Call::writes);

        tunnel.withdrawReport();

        awaitReport("before TunnelOnline");
        assertThat(tunnel.status().path("tunnelID").asText()).isEqualTo("t");
    }

    @Tag("parity-130")
    @Test
    void aStoppingAgentSaysSoOverItsOwnReportAndTheOtherOneGoesOn() throws Exception {
        before.accept(ONLINE);
        awaitReport("before TunnelOnline");
        after.accept(LOST);
        await().atMost(LONG).untilAsserted(() -> assertThat(next("error")).isEqualTo("the engine is away"));

        before.accept(new TunnelEvent.ShuttingDown());
        before.close();

        awaitReport("after TunnelDisconnected");
        await().atMost(LONG).untilAsserted(() -> assertThat(next("pod")).isEmpty());
        assertThat(tunnel.status().has("tunnelID")).isFalse();
        assertThat(tunnel.status().has("forwardingAddress")).isFalse();
    }

    @Tag("parity-129")
    @ParameterizedTest
    @ValueSource(ints = {409, 429, 500, 503})
    void theStatusComesRightWhenTheApiServerIsInTrouble(int answer) {
        tunnel.api.answer(Call::writes, answer, 7);
        before.accept(ONLINE);
        after.accept(CLAIMED);

        after.accept(ONLINE);
        before.accept(LOST);

        awaitReport("after TunnelOnline");
        await().atMost(LONG).untilAsserted(() -> assertThat(next("pod")).isEqualTo("before"));
    }

    @Tag("parity-129")
    @Test
    void theStatusComesRightAfterTheApiServerWasAway() {
        before.accept(ONLINE);
        awaitReport("before TunnelOnline");
        tunnel.api.cut();
        before.accept(LOST);
        after.accept(CLAIMED);
        after.accept(ONLINE);

        tunnel.api.restore();

        awaitReport("after TunnelOnline");
    }

    @Tag("parity-128")
    @Test
    void theLastWordIsFromTheAgentThatIsOnline() throws Exception {
        CountDownLatch together = new CountDownLatch(1);
        int rounds = 60;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Consumer<StatusReporter> quarrel = agent -> {
                await().until(() -> together.getCount() == 0);
                for (int round = 0; round < rounds; round++) {
                    agent.accept(round % 2 == 0 ? ONLINE : LOST);
                    agent.target(round % 3 == 0 ? "cannot connect" : "");
                }
            };
            Future<?> one = threads.submit(() -> quarrel.accept(before));
            Future<?> other = threads.submit(() -> quarrel.accept(after));
            Future<?> operator = threads.submit(() -> {
                for (int generation = 2; generation <= 20; generation++) {
                    tunnel.operatorSays(generation);
                }
                return null;
            });
            together.countDown();
            one.get();
            other.get();
            operator.get();
        }

        after.accept(ONLINE);
        after.target("");
        before.accept(LOST);

        awaitReport("after TunnelOnline");
        await().atMost(LONG)
                .untilAsserted(
                        () -> assertThat(tunnel.status().at("/agent/generation").asLong())
                                .isEqualTo(20));
        assertThat(tunnel.status().path("observedGeneration").asLong()).isEqualTo(20);
        assertThat(tunnel.status().path("agent").has("targetError")).isFalse();
    }

    @Tag("parity-129")
    @Test
    void anAgentThatHasSaidEverythingWritesNoMore() {
        before.accept(ONLINE);
        awaitReport("before TunnelOnline");
        tunnel.api.forgetCalls();

        await().atMost(LONG).until(() -> tunnel.api.calls().size() >= 3);

        assertThat(tunnel.api.calls()).noneMatch(Call::writes);
    }

    @Tag("parity-75")
    @Test
    void theRoleOfAnAgentIsEnough() {
        before.accept(ONLINE);
        awaitReport("before TunnelOnline");
        after.accept(LOST);
        await().atMost(LONG).untilAsserted(() -> assertThat(next("pod")).isEqualTo("after"));
        after.accept(ONLINE);
        awaitReport("after TunnelOnline");

        assertThat(tunnel.api.calls())
                .noneMatch(call -> call.status() == 403)
                .allMatch(call -> call.user().endsWith(":agent"))
                .extracting(call -> call.verb() + " " + call.resource() + "/" + call.subresource())
                .containsOnly("get rstreamtunnels/", "patch rstreamtunnels/status");
    }
}
