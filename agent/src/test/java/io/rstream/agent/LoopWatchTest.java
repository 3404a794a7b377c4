package io.rstream.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoopWatchTest {
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void noticesALoopThatIsStuckAndOneThatRunsAgain() throws Exception {
        DefaultEventExecutorGroup loops = new DefaultEventExecutorGroup(2);
        LoopWatch watch = new LoopWatch(Duration.ofSeconds(30), nanos::get);
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch reached = new CountDownLatch(1);
        watch.watch(loops);
        var blocked = loops.next().submit(() -> {
            reached.countDown();
            stuck.await();
            return null;
        });
        reached.await();
        assertThat(watch.isHealthy()).isTrue();

        nanos.addAndGet(Duration.ofSeconds(31).toNanos());

        assertThat(watch.isHealthy()).isFalse();
        stuck.countDown();
        await().until(watch::isHealthy);
        assertThat(blocked.await(1, TimeUnit.SECONDS)).isTrue();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
