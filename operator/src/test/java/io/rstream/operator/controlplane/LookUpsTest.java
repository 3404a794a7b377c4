package io.rstream.operator.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.rstream.operator.controlplane.ProjectAnswers.Answer;
import io.rstream.process.Secret;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LookUpsTest {

    private static final ResourceID ID = new ResourceID("default", "demo");
    private static final LookUpTarget TARGET =
            new LookUpTarget("https://cp.example.com", new ProjectSelector.Endpoint("p"));
    private static final Project PROJECT = project("one");
    private final LookUpException passing = new LookUpException("status 503", false, "try 1");
    private final LookUpException forbidden = new LookUpException("status 403", true, "not authorized");

    private final BlockingQueue<Object> outcomes = new LinkedBlockingQueue<>();
    private final Queue<String> tokens = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<ResourceID> woken = new LinkedBlockingQueue<>();
    private volatile Instant now = Instant.parse("2026-01-02T03:04:05Z");
    private LookUps lookUps;

    @BeforeEach
    void create() {
        ProjectSource source = (_, credentials) -> {
            tokens.add(credentials.token().reveal());
            return switch (outcomes.take()) {
                case Project project -> project;
                case LookUpException failure -> throw failure;
                case Object other -> throw new IllegalStateException(other.toString());
            };
        };
        lookUps = new LookUps(source, Executors.newVirtualThreadPerTaskExecutor(), () -> now, () -> 0.5);
        lookUps.onEnd(woken::add);
    }

    @AfterEach
    void close() {
        lookUps.close();
    }

    @Test
    @Tag("parity-135")
    void keepsOneAnswerAndWakesTheConnection() throws Exception {
        assertThat(lookUps.isDue(ID, TARGET, "v1")).isTrue();
        ask("v1", "t", PROJECT);

        assertThat(answer()).isEqualTo(new Answer.Found(PROJECT));
        assertThat(lookUps.isDue(ID, TARGET, "v1")).isFalse();
        assertThat(lookUps.untilNext(ID)).isEqualTo(Duration.ofMinutes(10));
        assertThat(tokens).hasSize(1);
    }

    @Test
    void holdsNobodyUpWhileItAsks() {
        lookUps.begin(ID, TARGET, "v1", credentials("t"));

        assertThat(answer()).isEqualTo(new Answer.Pending(false));
        assertThat(lookUps.isDue(ID, TARGET, "v1")).isFalse();
        assertThat(lookUps.untilNext(ID)).isEqualTo(Duration.ofSeconds(2));
        later(Duration.ofSeconds(2));
        assertThat(answer()).isEqualTo(new Answer.Pending(true));
        assertThat(lookUps.untilNext(ID)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    @Tag("parity-135")
    void asksAgainWhenTheAnswerIsOld() throws Exception {
        ask("v1", "t", PROJECT);
        later(Duration.ofMinutes(10));

        assertThat(lookUps.isDue(ID, TARGET, "v1")).isTrue();
        ask("v1", "t", project("two"));

        assertThat(answer()).isEqualTo(new Answer.Found(project("two")));
    }

    @Test
    @Tag("parity-126")
    @Tag("parity-135")
    void keepsTheAnswerWhileItCannotBeRefreshed() throws Exception {
        ask("v1", "t", PROJECT);
        later(Duration.ofMinutes(10));
        ask("v1", "t", passing);

        assertThat(answer()).isEqualTo(new Answer.Found(PROJECT));
        assertThat(lookUps.untilNext(ID)).isEqualTo(Duration.ofMillis(875));
        later(Duration.ofSeconds(1));
        ask("v1", "t", forbidden);
        assertThat(answer()).isEqualTo(new Answer.Refused("not authorized"));
    }

    @Test
    @Tag("parity-126")
    @Tag("parity-136")
    void triesPassingFailuresAgainWithLongerAndLongerPausesAndTheSameWords() throws Exception {
        var pauses = new ArrayDeque<Duration>();
        for (var attempt = 1; attempt <= 8; attempt++) {
            assertThat(lookUps.isDue(ID, TARGET, "v1")).isTrue();
            ask("v1", "t", new LookUpException("status 503", false, "try " + attempt));
            assertThat(answer()).isEqualTo(new Answer.Failed("try 1"));
            assertThat(lookUps.isDue(ID, TARGET, "v1")).isFalse();
            pauses.add(lookUps.untilNext(ID));
            later(lookUps.untilNext(ID));
        }
        ask("v1", "t", new LookUpException("timeout", false, "no answer"));

        assertThat(pauses)
                .containsExactly(
                        Duration.ofMillis(875),
                        Duration.ofMillis(1_750),
                        Duration.ofMillis(3_500),
                        Duration.ofSeconds(7),
                        Duration.ofSeconds(14),
                        Duration.ofSeconds(28),
                        Duration.ofMillis(52_500),
                        Duration.ofMillis(52_500));
        assertThat(answer()).isEqualTo(new Answer.Failed("no answer"));
    }

    @Test
    void triesLastingFailuresAgainWithTheRefreshOnly() throws Exception {
        ask("v1", "t", forbidden);

        assertThat(answer()).isEqualTo(new Answer.Refused("not authorized"));
        assertThat(lookUps.untilNext(ID)).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void asksAgainForAnotherTokenAndKeepsTheAnswerMeanwhile() throws Exception {
        ask("v1", "t", PROJECT);

        assertThat(lookUps.isDue(ID, TARGET, "v2")).isTrue();
        lookUps.begin(ID, TARGET, "v2", credentials("u"));
        assertThat(answer()).isEqualTo(new Answer.Found(PROJECT));
        outcomes.add(project("two"));
        assertWoken();

        assertThat(answer()).isEqualTo(new Answer.Found(project("two")));
        assertThat(tokens).containsExactly("t", "u");
    }

    @Test
    void forgetsARefusalWhenTheTokenIsReplaced() throws Exception {
        ask("v1", "t", forbidden);

        lookUps.begin(ID, TARGET, "v2", credentials("u"));

        assertThat(answer()).isEqualTo(new Answer.Pending(false));
    }

    @Test
    void doesNotAskForASecretThatChangedInNothingThatMatters() throws Exception {
        ask("v1", "t", PROJECT);

        lookUps.begin(ID, TARGET, "v2", credentials("t"));

        assertThat(lookUps.isDue(ID, TARGET, "v2")).isFalse();
        assertThat(tokens).hasSize(1);
    }

    @Test
    void neverGivesTheAnswerToAnotherQuestion() throws Exception {
        ask("v1", "t", PROJECT);
        var other = new LookUpTarget(TARGET.apiUrl(), new ProjectSelector.Id("p"));

        assertThat(lookUps.of(ID, other)).isEqualTo(new Answer.Pending(false));
        assertThat(lookUps.of(new ResourceID("other", "demo"), TARGET)).isEqualTo(new Answer.Pending(false));
        assertThat(lookUps.isDue(ID, other, "v1")).isTrue();
    }

    @Test
    void dropsAnAnswerThatIsNoLongerAskedFor() throws Exception {
        lookUps.begin(ID, TARGET, "v1", credentials("old"));
        await().until(() -> tokens.contains("old"));
        lookUps.begin(ID, TARGET, "v2", credentials("new"));
        await().until(() -> tokens.contains("new"));
        outcomes.add(PROJECT);
        assertWoken();
        assertThat(answer()).isEqualTo(new Answer.Found(PROJECT));

        lookUps.forget(ID);

        assertThat(answer()).isEqualTo(new Answer.Pending(false));
        assertThat(woken).isEmpty();
    }

    @Test
    void survivesADefect() throws Exception {
        ask("v1", "t", "defect");

        assertThat(answer())
                .isEqualTo(new Answer.Failed("resolve project endpoint \"p\": internal error, see the operator's log"));
    }

    @Test
    @Tag("parity-135")
    void asksOneHostFourAtATimeAndOthersMeanwhile() throws Exception {
        var busy = new AtomicInteger();
        var most = new AtomicInteger();
        var release = new CountDownLatch(1);
        ProjectSource slow = (target, _) -> {
            if (target.equals(TARGET)) {
                most.accumulateAndGet(busy.incrementAndGet(), Math::max);
                release.await();
                busy.decrementAndGet();
            }
            return PROJECT;
        };
        try (var many = new LookUps(slow, Executors.newVirtualThreadPerTaskExecutor(), () -> now, () -> 0.5)) {
            many.onEnd(woken::add);
            for (var index = 0; index < 12; index++) {
                many.begin(new ResourceID("slow-" + index, "demo"), TARGET, "v", credentials("t"));
            }
            await().until(() -> busy.get() == 4);

            var quick = new LookUpTarget("https://quick.example.com", new ProjectSelector.Endpoint("p"));
            many.begin(ID, quick, "v", credentials("t"));
            assertWoken();
            assertThat(many.of(ID, quick)).isEqualTo(new Answer.Found(PROJECT));

            release.countDown();
            for (var index = 0; index < 12; index++) {
                assertThat(woken.poll(30, TimeUnit.SECONDS)).isNotNull();
            }
            assertThat(most).hasValue(4);
        }
    }

    @Test
    @Tag("parity-135")
    void beginsTenLookUpsASecondAtOneHost() {
        var limits = new HostLimits(4, Duration.ofMillis(100), () -> 0);

        assertThat(limits.turn("a")).isZero();
        assertThat(limits.turn("a")).isEqualTo(Duration.ofMillis(100));
        assertThat(limits.turn("a")).isEqualTo(Duration.ofMillis(200));
        assertThat(limits.turn("b")).isZero();
    }

    @Test
    @Tag("parity-135")
    void spreadsRefreshesOverAFifthToBothSides() {
        assertThat(new LookUpPauses(() -> 0).untilRefresh()).isEqualTo(Duration.ofMinutes(8));
        assertThat(new LookUpPauses(() -> 1).untilRefresh()).isEqualTo(Duration.ofMinutes(12));
    }

    private void ask(String versions, String token, Object outcome) throws InterruptedException {
        outcomes.add(outcome);
        lookUps.begin(ID, TARGET, versions, credentials(token));
        assertWoken();
    }

    private void assertWoken() throws InterruptedException {
        @Nullable ResourceID id = woken.poll(30, TimeUnit.SECONDS);
        assertThat(id).isEqualTo(ID);
    }

    private Answer answer() {
        return lookUps.of(ID, TARGET);
    }

    private void later(Duration duration) {
        now = now.plus(duration);
    }

    private static Credentials credentials(String token) {
        return new Credentials(Secret.of(token), List.of());
    }

    private static Project project(String endpoint) {
        return new Project("id", endpoint, "example.com", 443, "", false, List.of());
    }
}
