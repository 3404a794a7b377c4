package io.rstream.operator.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlPlaneAccessTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
            null                          | https://rstream.io
            ' '                           | https://rstream.io
            ' https://cp.example.com/// ' | https://cp.example.com
            https://cp.example.com/base/  | https://cp.example.com/base
            """)
    @Tag("parity-29")
    void normalizesTheUrl(String given, String expected) {
        assertThat(ControlPlaneAccess.normalized(given)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://rstream.io",
                "HTTPS://cp.example.com:8443/base",
                "https://192.0.2.1",
                "https://[2001:db8::1]:8443",
                "http://localhost:8080",
                "http://edge.rstream.localhost:8080",
                "http://127.9.0.1",
                "http://[::1]:8080"
            })
    void allowsHttpsAndThisMachine(String url) {
        assertThat(ControlPlaneAccess.DEFAULT.objection(url)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            http://cp.example.com        | apiURL "http://cp.example.com" would send the token in clear text; use https, or start
            http://127.0.0.1.example.com | apiURL "http://127.0.0.1.example.com" would send the token in clear text;
            ftp://cp.example.com         | apiURL "ftp://cp.example.com" is not the URL of a control plane; use https and a host
            cp.example.com               | apiURL "cp.example.com" is not the URL of a control plane;
            https://                     | apiURL "https://" is not the URL of a control plane;
            https://a b                  | apiURL "https://a b" is not the URL of a control plane;
            https://my_host              | apiURL "https://my_host" is not the URL of a control plane;
            https://cp.example.com?a=b   | apiURL "https://cp.example.com?a=b" has a query or a fragment;
            https://cp.example.com#a     | apiURL "https://cp.example.com#a" has a query or a fragment;
            https://me:pw@example.com    | apiURL holds a user name or password; remove it,
            """)
    void refusesWhatWouldExposeTheToken(String url, String message) {
        assertThat(ControlPlaneAccess.DEFAULT.objection(url).orElseThrow())
                .startsWith(message)
                .doesNotContain("pw");
    }

    @Test
    void allowsClearTextWhenToldSo() {
        assertThat(new ControlPlaneAccess(true, Set.of()).objection("http://cp.example.com"))
                .isEmpty();
    }

    @Test
    void keepsToTheAllowedHosts() {
        var access = new ControlPlaneAccess(false, Set.of("rstream.io", "cp.example.com"));

        assertThat(access.objection("https://RSTREAM.io:443")).isEmpty();
        assertThat(access.objection("https://evil.example.com"))
                .hasValue("apiURL host \"evil.example.com\" is not one of the control planes that this operator may ask"
                        + " (cp.example.com, rstream.io); use one of them, or start the operator with another"
                        + " --control-plane-host");
        assertThat(access.objection("http://localhost:8080")).isPresent();
    }
}
