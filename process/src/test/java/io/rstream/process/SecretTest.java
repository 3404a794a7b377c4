package io.rstream.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SecretTest {

    @Test
    void hidesItsValueInText() {
        Secret secret = Secret.of("s3cr3t");

        assertThat("token=" + secret).isEqualTo("token=***");
        assertThat(secret.reveal()).isEqualTo("s3cr3t");
    }

    @Test
    void equalsASecretOfTheSameValueOnly() {
        assertThat(Secret.of("a")).isEqualTo(Secret.of("a")).hasSameHashCodeAs(Secret.of("a"));
        assertThat(Secret.of("a")).isNotEqualTo(Secret.of("b")).isNotEqualTo("a");
    }

    @Test
    void knowsWhetherAHeaderCanCarryIt() {
        assertThat(Secret.of("eyJ.a-b_c~!").isPrintableAscii()).isTrue();
        assertThat(List.of("a\nb", "a b", "a\u0001", "a\u007f", "\u00e9"))
                .noneMatch(value -> Secret.of(value).isPrintableAscii());
    }
}
