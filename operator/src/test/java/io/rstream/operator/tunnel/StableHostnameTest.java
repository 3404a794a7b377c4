package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StableHostnameTest {

    private static final String ENGINE = "project-42.edge.example.com:443";

    @Test
    @Tag("parity-56")
    void hasTheDocumentedShape() {
        assertThat(StableHostname.choose(null, ENGINE, "uid-1"))
                .matches("r[0-9a-f]{8}-project-42\\.t\\.edge\\.example\\.com");
    }

    @Test
    @Tag("parity-141")
    void isTheSameForTheSameTunnelAndDiffersForAnother() {
        var name = StableHostname.choose(null, ENGINE, "uid-1");

        assertThat(StableHostname.choose(null, ENGINE, "uid-1")).isEqualTo(name);
        assertThat(StableHostname.choose(null, ENGINE, "uid-2")).isNotEqualTo(name);
    }

    @Test
    @Tag("parity-57")
    void keepsAStoredNameOfThisEngine() {
        var stored = "r1a2b3c4d-project-42.t.edge.example.com";

        assertThat(StableHostname.choose(stored, ENGINE, "uid-1")).isEqualTo(stored);
    }

    @ParameterizedTest
    @ValueSource(strings = {"r1a2b3c4d-project-42.t.other.example.com", "shop.example.org", "rabc-x.t.y"})
    @Tag("parity-141")
    void replacesAStoredNameOfAnotherDomain(String stored) {
        assertThat(StableHostname.choose(stored, ENGINE, "uid-1")).endsWith("-project-42.t.edge.example.com");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost:443",
                "[2001:db8::1]:443",
                "2001:db8::1",
                "a_b.example.com",
                "-a.example.com",
                "a..example.com",
                "192.0.2.10:443",
                "x123456789x123456789x123456789x123456789x123456789xxxx.example.com"
            })
    @Tag("parity-59")
    void givesNoNameWhereTheEngineHasNoDomain(String engine) {
        assertThat(StableHostname.choose(null, engine, "uid-1")).isNull();
    }

    @Test
    @Tag("parity-59")
    void acceptsAFirstLabelOf53Characters() {
        var label = "x".repeat(53);

        assertThat(StableHostname.suffix(label + ".example.com")).contains(label + ".t.example.com");
    }

    @ParameterizedTest
    @CsvSource({
        "https://edge.example.com:8443/path,edge.t.example.com",
        "EDGE.Example.com.,edge.t.example.com",
        "' edge.localhost:8443 ',edge.t.localhost",
    })
    void readsTheHostOutOfTheAddress(String engine, String suffix) {
        assertThat(StableHostname.suffix(engine)).contains(suffix);
    }
}
