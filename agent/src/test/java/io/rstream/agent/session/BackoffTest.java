package io.rstream.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class BackoffTest {
    /** Takes nothing off. */
    private static final RandomGenerator NOTHING = () -> 0L;

    private static Backoff backoff(RandomGenerator random) {
        return new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30), random);
    }

    @Tag("parity-109")
    @Test
    void doublesFromTheFirstToTheLongestPause() {
        Backoff backoff = backoff(NOTHING);

        var pauses = IntStream.range(0, 7).mapToObj(_ -> backoff.next(false).toSeconds());

        assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L);
    }

    @Tag("parity-148")
    @Test
    void waitsTheLongestPauseAndNoLongerForWhatDoesNotGoAwayByItself() {
        Backoff backoff = backoff(NOTHING);

        var pauses = IntStream.range(0, 6).mapToObj(_ -> backoff.next(true).toSeconds());

        assertThat(pauses).containsExactly(30L, 30L, 30L, 30L, 30L, 30L);
    }

    @Tag("parity-148")
    @Test
    void takesUpToOneHalfOff() {
        Backoff backoff = new Backoff(Duration.ofSeconds(10), Duration.ofSeconds(10), new Random(3));

        var pauses = IntStream.range(0, 200).mapToObj(_ -> backoff.next(false)).toList();

        assertThat(pauses)
                .allSatisfy(pause -> assertThat(pause).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10)));
        assertThat(pauses.stream().distinct()).hasSizeGreaterThan(100);
    }

    @Tag("parity-148")
    @Test
    void startsAnewAfterAReset() {
        Backoff backoff = backoff(NOTHING);
        backoff.next(false);
        backoff.next(true);
        backoff.next(false);

        backoff.reset();

        assertThat(backoff.next(false)).isEqualTo(Duration.ofSeconds(1));
        assertThat(backoff.next(true)).isEqualTo(Duration.ofSeconds(30));
    }
}
