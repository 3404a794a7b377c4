package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples, ours and those of release 0.5, applied as they are with strict validation. */
class SamplesIT {

    private static final String NAMESPACE = "rstream-demo";
    private static final Path OF_RELEASE_0_5 = Path.of("src/test/resources/samples-0.5");

    @TempDir
    private static Path directory;

    private static LocalCluster cluster;
    private static Kubectl kubectl;

    @BeforeAll
    static void installDefinitions() {
        cluster = LocalCluster.shared();
        cluster.installCrds();
        kubectl = new Kubectl(cluster, directory);
    }

    /** A workload below the restricted Pod Security profile makes the API server warn, and a warning fails kubectl. */
    @BeforeEach
    void createRestrictedNamespace() {
        cluster.client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .withLabels(Map.of("pod-security.kubernetes.io/warn", "restricted"))
                        .endMetadata()
                        .build())
                .create();
    }

    @AfterEach
    void deleteNamespace() {
        cluster.deleteNamespace(NAMESPACE);
    }

    @Test
    void appliesOurSamplesWithoutAWarning() {
        var output = apply(LocalCluster.repositoryRoot().resolve("config/samples"));

        assertThat(output)
                .contains(
                        "rstreamconnection.tunnels.rstream.io/default created",
                        "rstreamconnection.tunnels.rstream.io/project created",
                        "rstreamtunnel.tunnels.rstream.io/web created",
                        "rstreamtunnel.tunnels.rstream.io/web-by-project created",
                        "rstreamtunnel.tunnels.rstream.io/echo created",
                        "deployment.apps/http-server created",
                        "service/http-server created",
                        "deployment.apps/tcp-echo created",
                        "service/tcp-echo created");
    }

    @Test
    @Tag("parity-124")
    void appliesTheSamplesOfRelease05Unchanged() {
        var output = apply(OF_RELEASE_0_5);

        assertThat(output)
                .contains(
                        "rstreamconnection.tunnels.rstream.io/default created",
                        "rstreamtunnel.tunnels.rstream.io/web created",
                        "rstreamtunnel.tunnels.rstream.io/ssh created");
    }

    @Test
    void refusesASampleWithAMisspelledField() throws IOException {
        var tunnel = Files.readString(
                LocalCluster.repositoryRoot().resolve("config/samples/rstream_v1alpha1_tcp_tunnel.yaml"));
        var misspelled = Files.writeString(directory.resolve("misspelled.yaml"), tunnel.replace("tcpPort", "tcpport"));

        var failure = catchThrowable(() -> apply(misspelled));

        assertThat(failure).hasMessageContaining(".spec.tcpport: field not declared in schema");
    }

    @Test
    void failsForASampleBelowTheRestrictedProfile() throws IOException {
        var server = Files.readString(LocalCluster.repositoryRoot().resolve("config/samples/tcp_echo.yaml"));
        var lax = Files.writeString(
                directory.resolve("lax.yaml"),
                server.replace("allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true"));

        var failure = catchThrowable(() -> apply(lax));

        assertThat(failure).hasMessageContaining("would violate PodSecurity \"restricted");
    }

    @Test
    void obeyOurOwnRules() {
        for (var folder : List.of(LocalCluster.repositoryRoot().resolve("config/samples"), OF_RELEASE_0_5)) {
            var violations = objects(folder).stream()
                    .flatMap(object -> violations(object).stream())
                    .toList();

            assertThat(violations).as(folder.toString()).isEmpty();
        }
    }

    @Test
    void holdNoSecret() {
        var kinds = objects(LocalCluster.repositoryRoot().resolve("config/samples")).stream()
                .map(object -> object.path("kind").asText());

        assertThat(kinds).isNotEmpty().doesNotContain("Secret");
    }

    private static String apply(Path path) {
        return kubectl.run("apply", "--server-side", "--validate=strict", "-f", path.toString())
                .replace(" serverside-applied", " created");
    }

    private static List<JsonNode> objects(Path folder) {
        try (var files = Files.list(folder)) {
            return files.sorted().flatMap(Yaml::documents).toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + folder, e);
        }
    }

    private static List<Violation> violations(JsonNode object) {
        return switch (object.path("kind").asText()) {
            case "RstreamTunnel" -> TunnelRules.violations(Yaml.read(object.toString(), RstreamTunnel.class));
            case "RstreamConnection" ->
                ConnectionRules.violations(Yaml.read(object.toString(), RstreamConnection.class));
            default -> List.of();
        };
    }
}
