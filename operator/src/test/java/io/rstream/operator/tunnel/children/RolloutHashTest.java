package io.rstream.operator.tunnel.children;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RolloutHashTest {

    @Test
    @Tag("parity-86")
    void isTheDocumentedHash() {
        assertThat(RolloutHash.of("connection: {}\n", List.of("rstream-token:1")))
                .isEqualTo("bf4094204b20e8d5");
    }

    @Test
    @Tag("parity-87")
    void changesWithTheVersionOfASecretAndNotWithTheirOrder() {
        var hash = RolloutHash.of("x", List.of("a:1", "b:1"));

        assertThat(RolloutHash.of("x", List.of("b:1", "a:1"))).isEqualTo(hash);
        assertThat(RolloutHash.of("x", List.of("a:2", "b:1"))).isNotEqualTo(hash);
        assertThat(RolloutHash.of("y", List.of("a:1", "b:1"))).isNotEqualTo(hash);
    }
}
