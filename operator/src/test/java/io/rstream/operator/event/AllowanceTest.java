package io.rstream.operator.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AllowanceTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private final Allowance allowance = new Allowance(NOW);

    @Test
    void allowsTenAtOnceAndOneMoreEveryFiveMinutes() {
        assertThat(taken(20, NOW)).isEqualTo(10);
        assertThat(taken(20, NOW.plusSeconds(299))).isZero();
        assertThat(taken(20, NOW.plusSeconds(300))).isEqualTo(1);
        assertThat(taken(20, NOW.plusSeconds(599))).isZero();
        assertThat(taken(20, NOW.plusSeconds(905))).isEqualTo(2);
    }

    @Test
    void savesUpNoMoreThanTen() {
        assertThat(taken(20, NOW.plusSeconds(100_000))).isEqualTo(10);
    }

    @Test
    void staysAsItIsWhenTheClockGoesBackwards() {
        assertThat(taken(20, NOW.minusSeconds(3_600))).isEqualTo(10);
        assertThat(taken(20, NOW)).isZero();
    }

    private long taken(int tries, Instant now) {
        return IntStream.range(0, tries).filter(_ -> allowance.take(now)).count();
    }
}
