package io.rstream.operator.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.process.Secret;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {

    private static final String TOKEN = "marker-token";

    @Test
    void canBeSentWithPlainValues() {
        assertThat(credentials(TOKEN, "x-tenant", "a\tb c~").objection()).isEmpty();
        assertThat(credentials(TOKEN, "x-tenant", "").objection()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\r\nX-Other: b", "a\u0000", "a\u007f", "ä"})
    @Tag("parity-36")
    void refusesAValueThatAHeaderCannotCarry(String value) {
        assertThat(credentials(TOKEN, "x-tenant", value).objection())
                .hasValue("invalid value for control plane header \"X-Tenant\"");
    }

    @Test
    @Tag("parity-36")
    void refusesAHeaderThatTheClientSetsItself() {
        assertThat(credentials(TOKEN, "EXPECT", "x").objection()).hasValue("reserved control plane header \"Expect\"");
    }

    @Test
    void refusesAnEmptyTokenAndOneOfSeveralLines() {
        assertThat(credentials("", "x", "y").objection())
                .hasValue("tokenSecretRef is required when projectEndpoint or projectID is used");
        assertThat(credentials("a\nmarker", "x", "y").objection().orElseThrow())
                .startsWith("the token of tokenSecretRef holds white space")
                .doesNotContain("marker");
    }

    @Test
    void tellsCredentialsApartAndHidesThem() {
        var one = credentials(TOKEN, "a", "bc");

        assertThat(one.digest()).isEqualTo(credentials(TOKEN, "a", "bc").digest());
        assertThat(one.digest())
                .isNotEqualTo(credentials(TOKEN, "ab", "c").digest())
                .isNotEqualTo(credentials(TOKEN + "a", "", "bc").digest());
        assertThat(one.toString()).doesNotContain(TOKEN, "bc");
        assertThat(credentials(TOKEN, "a", "tenant-7").redact("no " + TOKEN + " for tenant-7"))
                .isEqualTo("no *** for ***");
    }

    private static Credentials credentials(String token, String name, String value) {
        return new Credentials(Secret.of(token), List.of(new Credentials.Header(name, Secret.of(value))));
    }
}
