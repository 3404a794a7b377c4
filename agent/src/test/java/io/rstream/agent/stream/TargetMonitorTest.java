package io.rstream.agent.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.agent.fake.LogRecords;
import io.rstream.agent.log.TunnelName;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TargetMonitorTest {
    private static final String REFUSED = "cannot connect to web.shop.svc:8080: connection refused";

    private final EmbeddedChannel clock = new EmbeddedChannel();
    private final EventLoop loop = clock.eventLoop();
    private final List<String> changes = new ArrayList<>();
    private final Queue<Promise<Channel>> tries = new ArrayDeque<>();
    private final TargetMonitor monitor = new TargetMonitor(
            this::dial,
            "web.shop.svc:8080",
            loop,
            TargetMonitor.Timings.DEFAULT,
            new TunnelName("shop", "web"),
            changes::add);

    @BeforeEach
    void stopTheClock() {
        clock.freezeTime();
    }

    private Future<Channel> dial(EventLoop on, Duration most) {
        Promise<Channel> dialed = on.newPromise();
        tries.add(dialed);
        return dialed;
    }

    private void streamFails() {
        var _ = monitor.dial(loop, Duration.ofSeconds(10));
        tries.remove().setFailure(new ConnectException());
        clock.runPendingTasks();
    }

    private EmbeddedChannel streamIsJoined() {
        EmbeddedChannel service = new EmbeddedChannel();
        var _ = monitor.dial(loop, Duration.ofSeconds(10));
        tries.remove().setSuccess(service);
        clock.runPendingTasks();
        return service;
    }

    private void pass(Duration time) {
        clock.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        clock.runPendingTasks();
    }

    @Tag("parity-146")
    @Test
    void saysAfterThreeFailuresInARowThatTheServiceCannotBeReached() {
        streamFails();
        streamFails();
        assertThat(changes).isEmpty();

        streamFails();

        assertThat(changes).containsExactly(REFUSED);
    }

    @Test
    void aSuccessInBetweenBeginsTheCountAnew() {
        streamFails();
        streamFails();
        EmbeddedChannel service = streamIsJoined();
        streamFails();
        streamFails();

        assertThat(changes).isEmpty();
        assertThat(service.isOpen()).isTrue();
        streamFails();
        assertThat(changes).containsExactly(REFUSED);
    }

    @Test
    void triesByItselfOneConnectionAtATimeUntilItSucceeds() {
        streamFails();
        streamFails();
        streamFails();
        assertThat(tries).isEmpty();

        pass(Duration.ofSeconds(10));
        assertThat(tries).hasSize(1);
        pass(Duration.ofMinutes(1));
        assertThat(tries).hasSize(1);
        tries.remove().setFailure(new ConnectException());
        clock.runPendingTasks();
        pass(Duration.ofSeconds(10));
        EmbeddedChannel service = new EmbeddedChannel();
        tries.remove().setSuccess(service);
        clock.runPendingTasks();

        assertThat(changes).containsExactly(REFUSED, "");
        assertThat(service.isOpen()).isFalse();
        pass(Duration.ofMinutes(10));
        assertThat(tries).isEmpty();
    }

    @Test
    void tellsNoMoreThanOneChangeInTenSeconds() {
        streamFails();
        streamFails();
        streamFails();
        streamIsJoined();
        assertThat(changes).containsExactly(REFUSED);

        pass(Duration.ofMillis(9_999));
        assertThat(changes).containsExactly(REFUSED);
        pass(Duration.ofMillis(1));

        assertThat(changes).containsExactly(REFUSED, "");
    }

    @Test
    void leavesOutWhatPassedBeforeItCouldBeTold() {
        streamFails();
        streamFails();
        streamFails();
        streamIsJoined();
        streamFails();
        streamFails();
        streamFails();

        pass(Duration.ofSeconds(10));

        assertThat(changes).containsExactly(REFUSED);
    }

    @Test
    void namesTheLatestCause() {
        streamFails();
        streamFails();
        streamFails();

        pass(Duration.ofSeconds(10));
        tries.remove().setFailure(new UnknownHostException("web.shop.svc"));
        clock.runPendingTasks();

        assertThat(changes).containsExactly(REFUSED, "cannot connect to web.shop.svc:8080: no such host");
    }

    @Tag("parity-146")
    @Test
    void warnsOnceAndSaysOnceThatItIsOver() {
        try (LogRecords records = LogRecords.of("io.rstream.agent.stream")) {
            for (int i = 0; i < 5; i++) {
                streamFails();
            }
            streamIsJoined();
            streamIsJoined();

            assertThat(records.text())
                    .containsOnlyOnce("Service cannot be reached; trying until it can")
                    .containsOnlyOnce("Service can be reached again");
        }
    }
}
