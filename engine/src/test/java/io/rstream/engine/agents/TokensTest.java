package io.rstream.engine.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rstream.process.Secret;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final Instant NOW = Instant.parse("2026-12-01T12:00:00Z");
    private final Tokens tokens = at(NOW);

    @Test
    void acceptsWhatItIssued() throws TokenException {
        Secret token = tokens.issue("ci", Duration.ofHours(1), List.of("tunnels.streams.create-delete"));

        TokenClaims claims = tokens.verify(token.reveal());

        assertThat(claims.subject()).isEqualTo("ci");
        assertThat(claims.permissions()).containsExactly("tunnels.streams.create-delete");
        assertThat(claims.expiry()).isAfter(NOW);
    }

    @Test
    void readsTheExampleOfRfc7515() throws TokenException {
        // RFC 7515, appendix A.1; its key is binary, so the token is signed anew with a text key.
        String token = signed("{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}", "{\"sub\":\"joe\"}", SECRET);

        assertThat(tokens.verify(token)).isEqualTo(new TokenClaims("joe", null, null));
    }

    @Test
    void refusesAnExpiredToken() {
        Secret token = tokens.issue("ci", Duration.ofHours(1), null);

        assertThatThrownBy(() -> at(NOW.plusSeconds(3600)).verify(token.reveal()))
                .isInstanceOf(TokenException.class)
                .hasMessage("The token has expired.");
    }

    @Test
    void refusesATokenThatIsNotValidYet() {
        String token = claims("{\"nbf\":" + NOW.plusSeconds(120).getEpochSecond() + "}");

        assertThatThrownBy(() -> tokens.verify(token)).hasMessage("The token is not valid yet.");
    }

    @Test
    void toleratesAClockThatIsABitOff() throws TokenException {
        String token = claims("{\"nbf\":" + NOW.plusSeconds(30).getEpochSecond() + "}");

        assertThat(tokens.verify(token).permissions()).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"permissions":["a","b"]} | a b
                    {"scp":["a","b"]}         | a b
                    {"scope":"a b"}           | a b
                    """)
    void readsPermissionsInAllTheirForms(String claims, String permissions) throws TokenException {
        assertThat(tokens.verify(claims(claims)).permissions()).containsExactly(permissions.split(" ", -1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"tunnelsGrants\":{}}", "{\"resources\":{\"tunnels\":{\"create\":true}}}"})
    void refusesGrantsThatNobodyWouldEnforce(String claims) {
        assertThatThrownBy(() -> tokens.verify(claims(claims))).hasMessageContaining("grants");
    }

    @Test
    void refusesAnotherSecret() {
        String token = signed("{\"alg\":\"HS256\"}", "{}", SECRET.replace('0', '1'));

        assertThatThrownBy(() -> tokens.verify(token)).hasMessage("The token is not valid here.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"alg\":\"none\"}", "{\"alg\":\"HS512\"}", "{}", "{\"alg\":\"HS256\",\"crit\":[\"x\"]}"})
    void refusesOtherAlgorithms(String header) {
        assertThatThrownBy(() -> tokens.verify(signed(header, "{}", SECRET)))
                .hasMessage("The token is not signed with HS256.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a.b", "a.b.c.d", "..", "!.!.!", "e30.e30.", "W10.W10.W10", "{}.{}.{}"})
    void refusesGarbageWithItsOwnErrorOnly(String token) {
        assertThatThrownBy(() -> tokens.verify(token)).isInstanceOf(TokenException.class);
    }

    @Test
    void refusesATokenOfUnreasonableLength() {
        String token = claims("{\"sub\":\"" + "x".repeat(9_000) + "\"}");

        assertThatThrownBy(() -> tokens.verify(token)).isInstanceOf(TokenException.class);
    }

    @ParameterizedTest
    @CsvSource({"1e300", "9223372036854775807", "99999999999999999999"})
    void takesAnExpiryBeyondAllTimeForTheEndOfTime(String expiry) throws TokenException {
        assertThat(tokens.verify(claims("{\"exp\":" + expiry + "}")).expiry()).isAfter(NOW);
    }

    @Test
    void refusesAShortSecret() {
        assertThatThrownBy(() -> new Tokens(Secret.of("short"), Clock.systemUTC()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 5 bytes; at least 32 are needed");
    }

    private static Tokens at(Instant now) {
        return new Tokens(Secret.of(SECRET), Clock.fixed(now, ZoneOffset.UTC));
    }

    private static String claims(String claims) {
        return signed("{\"alg\":\"HS256\"}", claims, SECRET);
    }

    private static String signed(String header, String claims, String secret) {
        try {
            Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
            String text = base64.encodeToString(header.getBytes(StandardCharsets.UTF_8)) + "."
                    + base64.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return text + "." + base64.encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
