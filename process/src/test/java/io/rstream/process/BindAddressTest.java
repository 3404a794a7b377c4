package io.rstream.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BindAddressTest {

    @ParameterizedTest
    @CsvSource({":8081,'',8081", "127.0.0.1:0,127.0.0.1,0", "[::1]:80,::1,80", "localhost:65535,localhost,65535"})
    void readsTheFormsOfGo(String text, String host, int port) {
        BindAddress address = BindAddress.parse(text).orElseThrow();

        assertThat(address).isEqualTo(new BindAddress(host, port));
        assertThat(address).hasToString(text);
    }

    @Test
    void anEmptyTextSwitchesTheServerOff() {
        assertThat(BindAddress.parse(" ")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"8081", ":", ":65536", ":-1", "::1:80", "host:http", ":123456"})
    void refusesAnythingElseWithTheText(String text) {
        assertThatThrownBy(() -> BindAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + text + "\" is not a listen address");
    }
}
