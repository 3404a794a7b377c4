package io.rstream.process;

import static org.assertj.core.api.Assertions.assertThat;

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
}
