package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentNamesTest {

    @ParameterizedTest
    @CsvSource({"'',811c9dc5", "a,e40c292c", "foobar,bf9cf968"})
    @Tag("parity-61")
    void hashesWithFnv1a(String text, String hash) {
        assertThat(AgentNames.fnv1a(text)).isEqualTo(hash);
    }

    @ParameterizedTest
    @CsvSource({
        "demo,web,uid-1,rstream-web-50c45a43",
        "demo,web,'',rstream-web-be7b6c43",
        "demo,my.site.example,uid-1,rstream-my-site-example-50c45a43",
    })
    @Tag("parity-61")
    void namesChildrenAfterTheTunnel(String namespace, String name, String uid, String base) {
        assertThat(AgentNames.childBaseName(namespace, name, uid)).isEqualTo(base);
    }

    @Test
    @Tag("parity-61")
    void cutsLongNames() {
        var name = AgentNames.childBaseName("demo", "a".repeat(60), "uid-1");

        assertThat(name).isEqualTo("rstream-" + "a".repeat(46) + "-50c45a43").hasSize(63);
    }

    @Test
    @Tag("parity-61")
    void leavesNoDoubleDashWhereTheCutFellOnADash() {
        var name = AgentNames.childBaseName("demo", "x".repeat(45) + "-yyyyyyyyyy", "uid-1");

        assertThat(name).isEqualTo("rstream-" + "x".repeat(45) + "-50c45a43").hasSize(62);
    }

    @Test
    @Tag("parity-62")
    void namesTheConfigMapAfterTheOthers() {
        assertThat(AgentNames.configMapName("rstream-web-50c45a43")).isEqualTo("rstream-web-50c45a43-config");
    }

    @ParameterizedTest
    @CsvSource({"Team_A-My.App,team-a-my-app", "'  --x--  ',x", "'...',rstream", "'',rstream", "Grün,grün"})
    @Tag("parity-60")
    void sanitises(String text, String name) {
        assertThat(AgentNames.sanitise(text)).isEqualTo(name);
    }

    @Test
    @Tag("parity-60")
    void namesATunnelAfterNamespaceAndName() {
        assertThat(AgentNames.rstreamName("demo", "web.a")).isEqualTo("demo-web-a");
    }
}
