package io.rstream.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("parity-136")
class MessagePaceTest {

    private Instant now = Instant.parse("2026-01-02T03:04:05Z");
    private final MessagePace pace = new MessagePace(() -> now);

    @Test
    void holdsWordsBackUntilTenSecondsAfterTheLastWrite() {
        pace.settled("a", true);
        pass(4);

        assertThat(pace.mayReword("a")).isFalse();
        assertThat(pace.pause("a")).contains(Duration.ofSeconds(6));
        assertThat(pace.mayReword("b")).isTrue();
        pass(6);
        assertThat(pace.pause("a"))
                .hasValueSatisfying(pause -> assertThat(pause).isPositive());
        assertThat(pace.mayReword("a")).isTrue();
    }

    @Test
    void allowsTheFirstWordsAtOnce() {
        assertThat(pace.mayReword("a")).isTrue();
        assertThat(pace.pause("a")).isEmpty();
    }

    @Test
    void waitsForNothingOnceTheWordsAreAsTheyShouldBe() {
        pace.settled("a", true);
        assertThat(pace.mayReword("a")).isFalse();

        pace.settled("a", false);

        assertThat(pace.pause("a")).isEmpty();
        assertThat(pace.mayReword("a")).isFalse();
    }

    @Test
    void doesNotWaitForAClockThatWentBackwards() {
        pace.settled("a", true);
        pass(-3_600);

        assertThat(pace.mayReword("a")).isTrue();
    }

    private void pass(long seconds) {
        now = now.plusSeconds(seconds);
    }
}
