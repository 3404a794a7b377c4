package io.rstream.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class BackOffTest {

    @Test
    @Tag("parity-126")
    void doublesUpToTheLimitAndNeverGivesUp() {
        var attempts = new BackOff(Duration.ofMillis(200), Duration.ofSeconds(5), () -> 0).initExecution();

        var pauses = Stream.generate(attempts::nextDelay).limit(100).map(pause -> pause.orElseThrow());

        assertThat(pauses.toList())
                .startsWith(200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L)
                .endsWith(5000L);
        assertThat(attempts.isLastAttempt()).isFalse();
    }

    @Test
    void shortensThePauseByAtMostAQuarter() {
        var attempts = new BackOff(Duration.ofSeconds(1), Duration.ofSeconds(5), () -> 0.999_999).initExecution();

        assertThat(attempts.nextDelay()).contains(750L);
    }
}
