package io.rstream.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "1s, 1000000000",
        "1m30s, 90000000000",
        "250ms, 250000000",
        "1.5h, 5400000000000",
        ".5s, 500000000",
        "0, 0",
        "-2s, -2000000000",
        "+1us, 1000",
        "1µs, 1000",
        "7ns, 7"
    })
    void readsWhatGoReads(String text, long nanos) {
        Duration duration = Durations.parse(text);

        assertThat(duration).isEqualTo(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "s", "1 s", "1d", "1s1", "--1s", "1e3s", "٣s"})
    void refusesWhatIsNotADurationAndShowsHowToWriteOne(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + text + "\" is not a duration")
                .hasMessageContaining("1m30s");
    }

    @Test
    void refusesADurationBeyondItsRange() {
        assertThatThrownBy(() -> Durations.parse("9999999999999999h"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("too long");
    }

    @Test
    void readsBackEveryDurationThatItWrites() {
        Random random = new Random(42);

        for (int i = 0; i < 2_000; i++) {
            Duration duration = Duration.ofNanos(random.nextLong(Long.MAX_VALUE) >> random.nextInt(63));

            assertThat(Durations.parse(Durations.format(duration))).isEqualTo(duration);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PT1S,1s",
        "PT90S,1m30s",
        "PT0.25S,250ms",
        "PT1.5S,1.5s",
        "PT1H,1h",
        "PT0S,0s",
        "PT-1S,-1s",
        "PT0.0000015S,1.5us"
    })
    void writesTheShortestForm(Duration duration, String text) {
        assertThat(Durations.format(duration)).isEqualTo(text);
    }
}
