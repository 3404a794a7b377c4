package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of engines and tunnels, protocol versions, error texts: everything that people read or write. */
class AddressTest {
    @ParameterizedTest
    @CsvSource({
        "edge.example.com, edge.example.com:443",
        "edge.example.com:8443, edge.example.com:8443",
        "EDGE.Example.COM:9443, edge.example.com:9443",
        "localhost:1, localhost:1",
        "edge.example.com., edge.example.com:443",
        "edge.example.com.:8443, edge.example.com:8443",
        "bücher.example., xn--bcher-kva.example:443",
        "127.0.0.1:65535, 127.0.0.1:65535",
        "[::1]:8443, [::1]:8443",
        "[FE80::1], [fe80::1]:443",
        "bücher.example, xn--bcher-kva.example:443"
    })
    void readsAnEngineAddress(String text, String expected) {
        assertThat(EngineAddress.parse(text)).hasToString(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":443",
                "https://edge.example.com",
                "edge.example.com/path",
                "edge.example.com:443/",
                "edge.example.com?x",
                "edge.example.com#x",
                "user@edge.example.com",
                "edge\\example.com",
                "edge example.com",
                " edge.example.com",
                "edge.example.com:",
                "edge.example.com:0",
                "edge.example.com:65536",
                "edge.example.com:-1",
                "edge.example.com:443:443",
                "-edge.example.com",
                "edge-.example.com",
                "edge..example.com",
                "edge.example.com..",
                ".",
                "127.0.0.1..:443",
                "under_score.example.com",
                "::1",
                "[::1",
                "[::1]8443",
                "[edge.example.com]:443",
                "a23456789012345678901234567890123456789012345678901234567890abcd.example.com"
            })
    void refusesWhatIsNoEngineAddress(String text) {
        assertThatThrownBy(() -> EngineAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("engine");
    }

    @Test
    void refusesAHostThatIsTooLong() {
        String host = "a".repeat(60) + ("." + "b".repeat(60)).repeat(4);

        assertThatThrownBy(() -> EngineAddress.parse(host)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void knowsThePartsOfAHostedName() {
        assertThat(EngineAddress.parse("1a2b3c4d.c1.example.com:443").hosted())
                .contains(new EngineAddress.HostedName("1a2b3c4d", "c1.example.com"));
        assertThat(EngineAddress.parse("localhost").hosted()).isEmpty();
        assertThat(EngineAddress.parse("[::1]").hosted()).isEmpty();
    }

    @Tag("parity-116")
    @ParameterizedTest
    @CsvSource({
        "http, a.example.com, 443, https://a.example.com",
        "http, a.example.com, , https://a.example.com",
        "http, ' a.example.com ', 8443, https://a.example.com:8443",
        "tls, a.example.com, 443, a.example.com:443 (tls)",
        "tls, a.example.com, , a.example.com:443 (tls)",
        "dtls, a.example.com, 443, a.example.com (dtls)",
        "quic, a.example.com, 444, a.example.com:444 (quic)",
        "tcp, a.example.com, 10001, a.example.com:10001",
        "webtty, a.example.com, 443, a.example.com",
        "other, a.example.com, 443, a.example.com",
        ", a.example.com, 444, a.example.com:444"
    })
    void writesTheAddressOfAPublishedTunnel(String protocol, String hostname, Integer port, String expected) {
        TunnelProperties tunnel = TunnelProperties.builder()
                .protocol(protocol)
                .hostname(hostname)
                .port(port)
                .host("unused")
                .build();

        assertThat(ForwardingAddress.of(tunnel)).isEqualTo(expected);
    }

    @Tag("parity-116")
    @Test
    void fallsBackToTheOldAuthority() {
        TunnelProperties tunnel = TunnelProperties.builder()
                .protocol("http")
                .host("a.example.com:8443")
                .port(8443)
                .build();

        assertThat(ForwardingAddress.of(tunnel)).isEqualTo("https://a.example.com:8443");
    }

    @Tag("parity-116")
    @Test
    void namesAnUnpublishedTunnel() {
        TunnelProperties named =
                TunnelProperties.builder().name("db").id("t1").protocol("http").build();
        TunnelProperties unnamed = TunnelProperties.builder().id("t1").build();

        assertThat(ForwardingAddress.of(named)).isEqualTo("rstrm://db (unpublished)");
        assertThat(ForwardingAddress.of(unnamed)).isEqualTo("rstrm://t1 (unpublished)");
        assertThatThrownBy(() -> ForwardingAddress.of(TunnelProperties.EMPTY))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.3.0", "1.4.1", "1.4.5", "1.99.0", "1.5.0-rc1", ""})
    void welcomesEveryFirstMajorVersion(String version) {
        assertThat(ProtocolVersion.refusal(version)).isEmpty();
        assertThat(ProtocolVersion.refusal(null)).isEmpty();
        assertThat(ProtocolVersion.refusal(ProtocolVersion.CURRENT)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"2.0.0, 2030", "0.9.0, 2030", "1.4, 2020", "v1.4.5, 2020", "one, 2020", "99999999999.0.0, 2020"})
    void refusesOtherVersionsWithTheDocumentedCode(String version, int code) {
        assertThat(ProtocolVersion.refusal(version)).map(WireError::code).contains(code);
    }

    @Test
    void describesErrorsAsClientsPrintThem() {
        assertThat(new WireError(1000, "unauthorized").describe()).isEqualTo("engine error 1000: unauthorized");
        assertThat(new WireError(401, null).describe()).isEqualTo("engine error 401");
    }

    @ParameterizedTest
    @CsvSource({"6000, true", "7000, true", "9000, true", "0, false", "1000, false", "2000, false", "409, false"})
    void knowsWhichErrorsPass(int code, boolean retryable) {
        assertThat(new WireError(code, "text").retryable()).isEqualTo(retryable);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Hostname is already in use.",
                "Tunnel name is already in use.",
                "Published TCP port 10001 is already in use."
            })
    void knowsThatWhatAnotherTunnelHasMayBecomeFree(String message) {
        assertThat(new WireError(WireError.INVALID_REQUEST, message).retryable())
                .isTrue();
        assertThat(new WireError(WireError.UNAUTHORIZED, message).retryable()).isFalse();
        assertThat(List.of(WireError.HOSTNAME_IN_USE, WireError.TUNNEL_NAME_IN_USE, WireError.portInUse(10_001)))
                .contains(message);
    }

    @ParameterizedTest
    @CsvSource({
        "2000, TCP port is already in use., true",
        "2000, The host name web.example.com is ALREADY IN USE, true",
        "409, Hostname is already in use., true",
        "409, text, false",
        "4000, The stream is already in use., false",
        "4010, whatever its words are, true",
        "4999, , true",
        "5000, Hostname is already in use., false",
        "6000, Hostname is already in use., false"
    })
    void knowsConflictsInTheWordsOfOtherEngines(int code, String message, boolean conflict) {
        assertThat(new WireError(code, message).isConflict()).isEqualTo(conflict);
    }

    @Test
    void takesOtherRefusalsOfTheRequestForLasting() {
        assertThat(new WireError(WireError.INVALID_REQUEST, null).retryable()).isFalse();
        assertThat(new WireError(WireError.INVALID_REQUEST, "Reserved TCP address is not available for this project.")
                        .retryable())
                .isFalse();
    }

    @Test
    void enumerationsKnowTheirWireNamesExactly() {
        assertThat(TunnelProtocol.of("http")).contains(TunnelProtocol.HTTP);
        assertThat(TunnelProtocol.of("HTTP")).isEmpty();
        assertThat(TunnelType.of("datagram")).contains(TunnelType.DATAGRAM);
        assertThat(HttpVersion.of("http/1.1")).contains(HttpVersion.HTTP_1_1);
        assertThat(TlsMode.of("passthrough")).contains(TlsMode.PASSTHROUGH);
        assertThat(TlsVersion.of("tls1.3")).contains(TlsVersion.TLS_1_3);
    }
}
