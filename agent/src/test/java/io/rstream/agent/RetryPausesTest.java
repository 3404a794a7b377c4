package io.rstream.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rstream.agent.config.AgentConfig.Retry;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RetryPausesTest {
    @Tag("parity-101")
    @Test
    void defaultsToOneAndThirtySeconds() throws Exception {
        RetryPauses expected = new RetryPauses(Duration.ofSeconds(1), Duration.ofSeconds(30));

        assertThat(RetryPauses.of(null)).isEqualTo(expected);
        assertThat(RetryPauses.of(new Retry(null, " "))).isEqualTo(expected);
    }

    @Test
    void takesWhatTheFileSays() throws Exception {
        assertThat(RetryPauses.of(new Retry("250ms", "1m30s")))
                .isEqualTo(new RetryPauses(Duration.ofMillis(250), Duration.ofSeconds(90)));
    }

    @Tag("parity-101")
    @Test
    void refusesWhatMakesNoSense() {
        assertThatThrownBy(() -> RetryPauses.of(new Retry("0s", null)))
                .hasMessage("retry.initial must be greater than zero");
        assertThatThrownBy(() -> RetryPauses.of(new Retry("2s", "1s")))
                .hasMessage("retry.max must be greater than or equal to retry.initial");
        assertThatThrownBy(() -> RetryPauses.of(new Retry("soon", null))).hasMessageStartingWith("retry.initial: ");
        assertThatThrownBy(() -> RetryPauses.of(new Retry(null, "1 s"))).hasMessageStartingWith("retry.max: ");
    }
}
