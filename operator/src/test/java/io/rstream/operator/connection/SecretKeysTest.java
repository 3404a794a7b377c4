package io.rstream.operator.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SecretKeysTest {

    private final io.fabric8.kubernetes.api.model.Secret secret = new SecretBuilder()
            .withNewMetadata()
            .withNamespace("demo")
            .withName("a")
            .withResourceVersion("7")
            .addToAnnotations("kubectl.kubernetes.io/last-applied-configuration", "marker")
            .endMetadata()
            .addToData("token", "marker")
            .build();

    @Test
    @Tag("parity-139")
    void keepsTheNamesOfKeysOnly() {
        var kept = SecretKeys.of(secret);

        assertThat(kept).isEqualTo(new SecretKeys("a", "7", Set.of("token")));
    }

    @Test
    @Tag("parity-139")
    void watchKeepsNameAndVersionOnly() {
        var kept = SecretWatch.bare(secret);

        assertThat(Serialization.asYaml(kept)).contains("demo", "\"7\"").doesNotContain("marker", "token");
    }
}
