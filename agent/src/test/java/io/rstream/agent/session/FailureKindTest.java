package io.rstream.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.protocol.WireError;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FailureKindTest {
    @Tag("parity-148")
    @ParameterizedTest
    @CsvSource({
        "0, text, OTHERWISE_REFUSED",
        "1000, The token is not valid., CREDENTIAL_REFUSED",
        "2000, Custom hostname is not verified for this project., REQUEST_REFUSED",
        "2000, Hostname is already in use., CLAIMED",
        "2000, Tunnel name is already in use., CLAIMED",
        "2000, Published TCP port 10001 is already in use., CLAIMED",
        "2000, TCP port is already in use., CLAIMED",
        "2030, text, VERSION_REFUSED",
        "3000, text, OTHERWISE_REFUSED",
        "4010, text, CLAIMED",
        "5000, text, FEATURE_REFUSED",
        "6000, text, PASSING",
        "7000, text, PASSING",
        "9000, text, PASSING",
        "12345, text, OTHERWISE_REFUSED"
    })
    void tellsWhatMayPassFromWhatStays(int code, String message, FailureKind kind) {
        assertThat(FailureKind.of(new WireError(code, message))).isEqualTo(kind);
    }

    @ParameterizedTest
    @EnumSource
    void saysWhatToDoExactlyWhenTheEngineRefuses(FailureKind kind) {
        assertThat(kind.isRefusal()).isEqualTo(kind.name().endsWith("_REFUSED"));
        assertThat(kind.advice().endsWith(".")).isEqualTo(kind.isRefusal());
        assertThat(kind.isRefusal()).isIn(false, kind.isPermanent());
    }
}
