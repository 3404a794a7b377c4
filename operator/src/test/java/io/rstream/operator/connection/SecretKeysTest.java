package io.rstream.operator.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SecretKeysTest {

    @Test
    void cachesNoValueOfASecret() {
        var secret = new SecretBuilder()
                .withNewMetadata()
                .withNamespace("demo")
                .withName("a")
                .withResourceVersion("7")
                .addToAnnotations("kubectl.kubernetes.io/last-applied-configuration", "marker")
                .endMetadata()
                .addToData("token", "marker")
                .build();
        var cache = SecretKeys.cacheWithoutValues();

        cache.put("demo/a", secret);

        assertThat(Serialization.asYaml(cache.get("demo/a"))).doesNotContain("marker");
        assertThat(SecretKeys.of(cache.get("demo/a"))).isEqualTo(new SecretKeys("a", "7", Set.of("token")));
    }
}
