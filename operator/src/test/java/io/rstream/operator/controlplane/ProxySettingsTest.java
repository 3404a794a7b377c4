package io.rstream.operator.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxySettingsTest {

    @Test
    void goesStraightWithoutVariables() {
        assertThat(proxy(Map.of(), "https://cp.example.com")).isEqualTo("DIRECT");
        assertThat(proxy(Map.of("HTTPS_PROXY", " "), "https://cp.example.com")).isEqualTo("DIRECT");
    }

    @Test
    void takesTheProxyOfTheScheme() {
        var environment = Map.of("HTTPS_PROXY", "http://a.example.com:3128", "http_proxy", "b.example.com:8080/");

        assertThat(proxy(environment, "https://cp.example.com")).isEqualTo("a.example.com:3128");
        assertThat(proxy(environment, "http://cp.example.com")).isEqualTo("b.example.com:8080");
    }

    @Test
    void prefersUpperCaseAndKnowsTheStandardPort() {
        var environment = Map.of("HTTPS_PROXY", "http://a.example.com", "https_proxy", "http://b.example.com");

        assertThat(proxy(environment, "https://cp.example.com")).isEqualTo("a.example.com:80");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            https://localhost             | ''                       | DIRECT
            https://127.0.0.1             | ''                       | DIRECT
            https://[::1]:8443            | ''                       | DIRECT
            https://cp.example.com        | *                        | DIRECT
            https://cp.example.com        | example.com              | DIRECT
            https://example.com           | example.com              | DIRECT
            https://CP.example.com        | a, Example.COM           | DIRECT
            https://notexample.com        | example.com              | proxy:3128
            https://cp.example.com        | .example.com             | DIRECT
            https://example.com           | .example.com             | proxy:3128
            https://cp.example.com        | *.example.com            | DIRECT
            https://cp.example.com:8443   | cp.example.com:8443      | DIRECT
            https://cp.example.com        | cp.example.com:443       | DIRECT
            https://cp.example.com        | cp.example.com:8443      | proxy:3128
            https://192.0.2.7             | 192.0.2.0/24             | DIRECT
            https://192.0.3.7             | 192.0.2.0/24             | proxy:3128
            https://192.0.2.7             | 192.0.2.7                | DIRECT
            https://[2001:db8::1]         | 2001:db8::/32            | DIRECT
            https://[2001:db8::1]:8443    | [2001:db8::1]:8443       | DIRECT
            https://[2001:db8::1]         | 2001:db8:0::1            | DIRECT
            https://192.0.2.7             | 192.0.2.0/99 192.0.2.0/x | proxy:3128
            """)
    void leavesOutWhatNoProxyNames(String url, String exemptions, String expected) {
        var environment = Map.of("HTTPS_PROXY", "http://proxy:3128", "no_proxy", exemptions);

        assertThat(proxy(environment, url)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"socks5://marker.example.com:1", "https://marker.example.com", "http://", "http://marker:x y@h"})
    void refusesOtherProxiesWithoutShowingTheValue(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxySettings.of(Map.of("https_proxy", value)))
                .withMessage(
                        "https_proxy does not name a proxy that the operator can use; write http://host:port, or unset it");
    }

    @Test
    void hasTheCredentialsOfTheProxyOnTheWay() {
        var settings = ProxySettings.of(
                Map.of("HTTPS_PROXY", "http://me:p%40ss@proxy:3128", "NO_PROXY", "direct.example.com"));

        assertThat(settings.haveCredentials()).isTrue();
        assertThat(settings.authorizationFor(URI.create("https://cp.example.com"))
                        .orElseThrow()
                        .reveal())
                .isEqualTo("Basic bWU6cEBzcw==");
        assertThat(settings.authorizationFor(URI.create("https://direct.example.com")))
                .isEmpty();
        assertThat(ProxySettings.none().haveCredentials()).isFalse();
    }

    private static String proxy(Map<String, String> environment, String url) {
        var proxies = ProxySettings.of(environment).selector().select(URI.create(url));
        assertThat(proxies).hasSize(1);
        return proxies.getFirst().type() == Proxy.Type.DIRECT
                ? "DIRECT"
                : text((InetSocketAddress) proxies.getFirst().address());
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }
}
