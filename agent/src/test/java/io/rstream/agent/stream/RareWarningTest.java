package io.rstream.agent.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RareWarningTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final RareWarning warning = new RareWarning(Duration.ofNanos(10), nanos::get);

    @Test
    void letsTheFirstThroughAndCountsThoseThatFollow() {
        assertThat(warning.take()).isZero();
        assertThat(warning.take()).isEqualTo(-1);
        assertThat(warning.take()).isEqualTo(-1);

        nanos.addAndGet(10);

        assertThat(warning.take()).isEqualTo(2);
        assertThat(warning.take()).isEqualTo(-1);
    }
}
