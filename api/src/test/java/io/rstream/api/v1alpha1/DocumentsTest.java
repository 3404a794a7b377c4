package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reading and writing of the types as documents. */
class DocumentsTest {

    static Stream<Path> files() {
        return Stream.of("connections.yaml", "tunnel.yaml", "tcp.yaml")
                .map(Path.of("src/test/resources/every-field")::resolve);
    }

    @ParameterizedTest
    @MethodSource("files")
    @Tag("parity-5")
    void writesWhatItReadForEveryField(Path file) {
        Yaml.documents(file).forEach(document -> {
            var type = document.path("kind").asText().equals("RstreamTunnel")
                    ? RstreamTunnelSpec.class
                    : RstreamConnectionSpec.class;
            var spec = Yaml.tree(document.get("spec").toString());

            var written = Yaml.written(Yaml.read(spec.toString(), type));

            assertThat(written).isEqualTo(spec);
        });
    }

    @Test
    void ignoresFieldsOfANewerVersion() {
        var spec = Yaml.tunnel("target: {service: {name: web, port: 80, weight: 3}}\nfuture: {a: 1}");

        assertThat(spec.target().service().name()).isEqualTo("web");
    }

    @Test
    void writesOnlyWhatIsSet() {
        var spec =
                Yaml.tunnel("target: {service: {name: web, port: 80}}\nlabels: {}\ntrustedIPs: []\ntls: {alpns: []}");

        var written = Yaml.written(spec);

        assertThat(written.toString())
                .isEqualTo("{\"target\":{\"service\":{\"name\":\"web\",\"port\":80}},\"tls\":{}}");
    }

    @Test
    void keepsAnEmptyHostName() {
        var spec = Yaml.tunnel("target: {service: {name: web, port: 80}}\nhostname: ''");

        var written = Yaml.written(spec);

        assertThat(written.path("hostname").asText("absent")).isEmpty();
    }

    @Test
    void givesAbsentListsAndMapsAsEmptyOnes() {
        var spec = Yaml.tunnel("target: {service: {name: web, port: 80}}\nagent: {}");

        assertThat(spec.labels()).isEmpty();
        assertThat(spec.trustedIPs()).isEmpty();
        assertThat(spec.agent().tolerations()).isEmpty();
        assertThat(spec.agent().podLabels()).isEmpty();
    }

    @Test
    void writesConditionTimesInWholeSeconds() {
        var condition = Yaml.read("""
                {type: Ready, status: "True", reason: Ready, message: "", lastTransitionTime: "2026-12-01T10:00:00.987Z"}
                """, Condition.class);

        var written = Yaml.written(condition);

        assertThat(written.path("lastTransitionTime").asText()).isEqualTo("2026-12-01T10:00:00Z");
        assertThat(written.path("status").asText()).isEqualTo("True");
    }

    @Test
    void givesAnEmptyStatusBeforeTheFirstReport() {
        assertThat(new RstreamTunnel().observed().conditions()).isEmpty();
        assertThat(new RstreamConnection().observed().conditions()).isEmpty();
    }
}
