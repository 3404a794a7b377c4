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
        private final List<Reconnector.Listener> retired = new ArrayList<>();
        private int closed;
        private int drained;

        @Override
        public Reconnector.Attempt begin(Reconnector.Listener listener) {
            begun.add(listener);
            return new Reconnector.Attempt() {
                @Override
                public void close() {
                    closed++;
                }

                @Override
                public void retire() {
                    retired.add(listener);
                }
            };
        }

        @Override
        public Future<?> drain() {
            drained++;
            return clock.eventLoop().newSucceededFuture(null);
        }

        void online() {
            begun.getLast().online(new OnlineTunnel("t", "https://a"));
        }

        void claimRefused() {
            begun.getLast().ended(new Failed("in use", FailureKind.CLAIMED));
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

    private void credentialsChange() {
        reconnector.credentialsChanged();
        clock.runPendingTasks();
    }

    @Test
    void endsTheOldSessionOnlyWhenTheOneWithNewCredentialsIsOnline() {
        start();
        attempts.online();

        credentialsChange();
        assertThat(attempts.begun).hasSize(2);
        assertThat(attempts.retired).isEmpty();
        attempts.online();

        assertThat(attempts.retired).containsExactly(attempts.begun.getFirst());
        assertThat(events).filteredOn(TunnelEvent.Online.class::isInstance).hasSize(2);
        assertThat(events).noneMatch(TunnelEvent.Disconnected.class::isInstance);
        attempts.begun.getFirst().ended(new SessionEnd.Closed());
        pass(Duration.ofMinutes(5));
        assertThat(attempts.begun).hasSize(2);
    }

    @Test
    void keepsTheOldSessionWhileNewCredentialsDoNotWorkAndSaysSo() {
        start();
        attempts.online();
        credentialsChange();

        attempts.fail(true);

        assertThat(events.getLast()).isEqualTo(new TunnelEvent.Online(new OnlineTunnel("t", "https://a"), "no"));
        assertThat(attempts.retired).isEmpty();
        pass(Duration.ofSeconds(30));
        assertThat(attempts.begun).hasSize(3);
        attempts.online();
        assertThat(attempts.retired).containsExactly(attempts.begun.getFirst());
        assertThat(events.getLast()).isEqualTo(new TunnelEvent.Online(new OnlineTunnel("t", "https://a")));
    }

    @Test
    void triesChangedCredentialsAtOnceAfterOthersDidNotWork() {
        start();
        attempts.online();
        credentialsChange();
        attempts.fail(true);

        credentialsChange();

        assertThat(attempts.begun).hasSize(3);
        pass(Duration.ofMinutes(1));
        assertThat(attempts.begun).hasSize(3);
    }

    @Test
    void makesRoomForTheNewSessionWhenTheEngineKeepsRefusingASecondOne() {
        start();
        attempts.online();
        credentialsChange();

        attempts.claimRefused();
        pass(Duration.ofSeconds(1));
        attempts.claimRefused();
        pass(Duration.ofSeconds(2));
        assertThat(attempts.retired).isEmpty();
        attempts.claimRefused();

        assertThat(attempts.retired).containsExactly(attempts.begun.getFirst());
        assertThat(attempts.begun).hasSize(5);
        attempts.online();
        assertThat(events.getLast()).isEqualTo(new TunnelEvent.Online(new OnlineTunnel("t", "https://a")));
    }

    @Test
    void goesOnWithTheNewSessionWhenTheOldOneIsLostMeanwhile() {
        start();
        attempts.online();
        credentialsChange();

        attempts.begun.getFirst().ended(new Failed("lost", false));
        pass(Duration.ofMinutes(1));
        assertThat(attempts.begun).hasSize(2);
        attempts.online();

        assertThat(attempts.retired).isEmpty();
        assertThat(events.getLast()).isInstanceOf(TunnelEvent.Online.class);
    }

    @Test
    void reconnectsOnceWhenTheOldSessionIsLostBetweenTriesOfNewCredentials() {
        start();
        attempts.online();
        credentialsChange();
        attempts.fail(false);

        attempts.begun.getFirst().ended(new Failed("lost", false));
        pass(Duration.ofSeconds(1));

        assertThat(attempts.begun).hasSize(3);
        pass(Duration.ofMinutes(1));
        assertThat(attempts.begun).hasSize(3);
    }

    @Test
    void triesNewCredentialsAtOnceWhileItIsDisconnected() {
        start();
        attempts.fail(true);

        credentialsChange();

        assertThat(attempts.begun).hasSize(2);
        pass(Duration.ofMinutes(1));
        assertThat(attempts.begun).hasSize(2);
    }

    @Test
    void looksAgainWhenCredentialsChangeDuringAnAttempt() {
        start();
        credentialsChange();
        assertThat(attempts.begun).hasSize(1);

        attempts.online();

        assertThat(attempts.begun).hasSize(2);
        attempts.online();
        assertThat(attempts.begun).hasSize(2);
        assertThat(attempts.retired).containsExactly(attempts.begun.getFirst());
    }

    @Test
    void waitsForTheRetiringSessionWhenItIsClosed() {
        start();
        attempts.online();
        credentialsChange();
        attempts.online();

        Future<Void> closed = reconnector.close();
        clock.runPendingTasks();
        attempts.begun.getLast().ended(new SessionEnd.Closed());

        assertThat(closed.isDone()).isFalse();
        attempts.begun.getFirst().ended(new SessionEnd.Closed());
        assertThat(closed.isSuccess()).isTrue();
    }

    @Test
    void givesUpTheSuccessorWhenItIsClosed() {
        start();
        attempts.online();
        credentialsChange();

        Future<Void> closed = reconnector.close();
        clock.runPendingTasks();

        assertThat(attempts.retired).containsExactly(attempts.begun.getLast());
        attempts.begun.getLast().ended(new SessionEnd.Closed());
        assertThat(closed.isDone()).isFalse();
        attempts.begun.getFirst().ended(new SessionEnd.Closed());
        assertThat(closed.isSuccess()).isTrue();
    }
}
