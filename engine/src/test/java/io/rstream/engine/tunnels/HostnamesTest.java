package io.rstream.engine.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.engine.tunnels.HostnameDecision.Allocate;
import io.rstream.engine.tunnels.HostnameDecision.Granted;
import io.rstream.engine.tunnels.HostnameDecision.Refused;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostnamesTest {
    private final Hostnames hostnames = new Hostnames("edge.example.com", "t.example.com");

    @ParameterizedTest
    @CsvSource({
        "web.t.example.com,               web.t.example.com",
        "WEB.T.Example.com,               web.t.example.com",
        "web.t.example.com.,              web.t.example.com",
        "r1a2b3c4d-edge.t.example.com,    r1a2b3c4d-edge.t.example.com",
    })
    void grantsNamesOfItsOwnDomain(String requested, String granted) {
        assertThat(hostnames.decide(requested)).isEqualTo(new Granted(granted));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "r1a2b3c4d-edge.t.other.org", "r00000000-127.t.0.0.1"})
    void allocatesWhenNothingOrAGeneratedForeignNameIsAskedFor(String requested) {
        assertThat(hostnames.decide(requested)).isEqualTo(new Allocate());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "www.example.org",
                "t.example.com",
                "a.b.t.example.com",
                "edge.example.com",
                "ra2b3c4d-edge.t.other.org",
                "rXa2b3c4d-edge.t.other.org"
            })
    void refusesForeignNames(String requested) {
        assertThat(hostnames.decide(requested)).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.error().code()).isEqualTo(2000);
            assertThat(refused.error().message()).isEqualTo("Custom hostname is not verified for this project.");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "we b.t.example.com",
                "-web.t.example.com",
                "web..t.example.com",
                "web_1.t.example.com",
                "*.t.example.com"
            })
    void refusesWhatIsNoHostName(String requested) {
        assertThat(hostnames.decide(requested))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.error().message()).isEqualTo("hostname is not a valid host name."));
    }

    @Test
    void keepsTheEngineOwnNameEvenInsideTheTunnelDomain() {
        Hostnames nested = new Hostnames("edge.t.example.com", "t.example.com");

        assertThat(nested.decide("edge.t.example.com")).isInstanceOf(Refused.class);
    }

    @Test
    void allocatesTheFormThatHostedEnginesUse() {
        assertThat(hostnames.allocate("1a2b3c4d")).isEqualTo("r1a2b3c4d-edge.t.example.com");
    }

    @Test
    void leavesTheEndpointOutOfALabelThatWouldBecomeTooLong() {
        Hostnames longNamed = new Hostnames("e".repeat(63) + ".example.com", "t.example.com");

        assertThat(longNamed.allocate("1a2b3c4d")).isEqualTo("r1a2b3c4d.t.example.com");
    }

    @Test
    void givesATunnelTheSameDigitsAgainAndOthersDifferentOnes() {
        String digits = Hostnames.stableDigits("subject:a", "web");

        assertThat(digits).matches("[0-9a-f]{8}").isEqualTo(Hostnames.stableDigits("subject:a", "web"));
        assertThat(digits).isNotEqualTo(Hostnames.stableDigits("subject:b", "web"));
        assertThat(digits).isNotEqualTo(Hostnames.stableDigits("subject:a", "web2"));
    }
}
