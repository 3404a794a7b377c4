package io.rstream.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.SessionEnd.Failed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ReconnectorTest {
    private final EmbeddedChannel clock = new EmbeddedChannel();
    private final FakeAttempts attempts = new FakeAttempts();
    private final List<TunnelEvent> events = new ArrayList<>();
    private final Reconnector reconnector = new Reconnector(
            clock.eventLoop(),
            attempts,
            new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30), () -> 0L),
            events::add,
            new TunnelName("shop", "web"),
            "web.shop.svc:80");

    /** Attempts that do what the test says. */
    private final class FakeAttempts implements Reconnector.Attempts {
        private final List<Reconnector.Listener> begun = new ArrayList<>();
        private int closed;
        private int drained;

        @Override
        public Reconnector.Attempt begin(Reconnector.Listener listener) {
            begun.add(listener);
            return () -> closed++;
        }

        @Override
        public Future<?> drain() {
            drained++;
            return clock.eventLoop().newSucceededFuture(null);
        }

        void online() {
            begun.getLast().online(new OnlineTunnel("t", "https://a"));
        }

        void fail(boolean permanent) {
            begun.getLast().ended(new Failed("no", permanent));
        }
    }

    private void pass(Duration time) {
        clock.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        clock.runPendingTasks();
    }

    private void start() {
        clock.freezeTime();
        reconnector.start();
        clock.runPendingTasks();
    }

    @Test
    void beginsAnAttemptAndTellsWhatHappens() {
        start();

        attempts.online();

        assertThat(events)
                .containsExactly(
                        new TunnelEvent.Connecting(), new TunnelEvent.Online(new OnlineTunnel("t", "https://a")));
    }

    @Tag("parity-109")
    @Test
    void waitsTwiceAsLongAfterEachFailure() {
        start();

        attempts.fail(false);
        pass(Duration.ofMillis(999));
        assertThat(attempts.begun).hasSize(1);
        pass(Duration.ofMillis(1));
        assertThat(attempts.begun).hasSize(2);

        attempts.fail(false);
        pass(Duration.ofMillis(1_999));
        assertThat(attempts.begun).hasSize(2);
        pass(Duration.ofMillis(1));

        assertThat(attempts.begun).hasSize(3);
        assertThat(events).contains(new TunnelEvent.Disconnected("no", FailureKind.PASSING));
    }

    @Tag("parity-148")
    @Test
    void startsWithTheFirstPauseAgainAfterAStableSession() {
        start();
        attempts.fail(false);
        pass(Duration.ofSeconds(1));
        attempts.online();
        pass(Duration.ofSeconds(30));

        attempts.fail(false);

        pass(Duration.ofSeconds(1));
        assertThat(attempts.begun).hasSize(3);
    }

    @Tag("parity-148")
    @Test
    void keepsGrowingWhenSessionsAreShort() {
        start();
        attempts.fail(false);
        pass(Duration.ofSeconds(1));
        attempts.online();
        pass(Duration.ofSeconds(29));

        attempts.fail(false);

        pass(Duration.ofSeconds(1));
        assertThat(attempts.begun).hasSize(2);
        pass(Duration.ofSeconds(1));
        assertThat(attempts.begun).hasSize(3);
    }

    @Tag("parity-148")
    @Test
    void keepsTryingAfterAPermanentFailureButRarely() {
        start();

        attempts.fail(true);

        pass(Duration.ofSeconds(29));
        assertThat(attempts.begun).hasSize(1);
        pass(Duration.ofSeconds(1));
        assertThat(attempts.begun).hasSize(2);
    }

    @Test
    void closesTheSessionBeforeItIsDone() {
        start();
        attempts.online();

        Future<Void> closed = reconnector.close();
        clock.runPendingTasks();

        assertThat(attempts.closed).isEqualTo(1);
        assertThat(closed.isDone()).isFalse();
        attempts.begun.getLast().ended(new SessionEnd.Closed());
        assertThat(closed.isSuccess()).isTrue();
        assertThat(events.getLast()).isEqualTo(new TunnelEvent.ShuttingDown());
    }

    @Test
    void drainsAndTriesNoMoreWhenItIsClosedInAPause() {
        start();
        attempts.fail(false);

        Future<Void> closed = reconnector.close();
        clock.runPendingTasks();

        pass(Duration.ofMinutes(1));
        assertThat(closed.isSuccess()).isTrue();
        assertThat(attempts.drained).isEqualTo(1);
        assertThat(attempts.begun).hasSize(1);
    }
}
