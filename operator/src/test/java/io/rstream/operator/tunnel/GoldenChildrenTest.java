package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.operator.connection.ConnectionResolver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each folder under {@code src/test/resources/golden} is a case: {@code in-*.yaml} is what a tunnel refers to, {@code
 * out-*.yaml} what follows. {@code -Dgenerate=true} rewrites the latter; the diff is the review.
 *
 * <p>Deliberate differences from the reference: the strategy is RollingUpdate where the engine accepts a second agent (76);
 * credentials are files, and the environment names those instead of Secret keys (80); Secrets have no part in the hash (86).
 */
class GoldenChildrenTest {

    private static final Path FOLDER = Path.of("src/test/resources/golden");
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    static Stream<String> cases() throws IOException {
        try (var folders = Files.list(FOLDER)) {
            return folders.map(folder -> folder.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("parity-63")
    @Tag("parity-64")
    @Tag("parity-65")
    @Tag("parity-66")
    @Tag("parity-67")
    @Tag("parity-68")
    @Tag("parity-69")
    @Tag("parity-70")
    @Tag("parity-71")
    @Tag("parity-72")
    @Tag("parity-73")
    @Tag("parity-74")
    @Tag("parity-75")
    @Tag("parity-76")
    @Tag("parity-77")
    @Tag("parity-78")
    @Tag("parity-79")
    @Tag("parity-80")
    @Tag("parity-81")
    @Tag("parity-82")
    @Tag("parity-83")
    @Tag("parity-84")
    @Tag("parity-85")
    @Tag("parity-86")
    @Tag("parity-138")
    @Tag("parity-145")
    void makesTheChildrenOfThe(String name) {
        var folder = FOLDER.resolve(name);
        var inputs = Samples.inputs(
                Samples.tunnel(read(folder, "in-tunnel.yaml")),
                Samples.YAML.unmarshal(read(folder, "in-connection.yaml"), RstreamConnection.class),
                read(folder, "in-secrets.yaml"),
                Samples.YAML.unmarshal(read(folder, "in-service.yaml"), Service.class));

        var plan = new TunnelPlanner(
                        ConnectionResolver.withoutControlPlane(),
                        new AgentDefaults("registry.example.com/default-agent:1", List.of("everywhere")))
                .plan(inputs);

        assertThat(plan).isInstanceOf(TunnelPlan.Ready.class);
        var ready = (TunnelPlan.Ready) plan;
        var children =
                ready.workload().children().stream().map(Samples.YAML::asYaml).collect(Collectors.joining());
        assertThat(children).doesNotContain("secret-").doesNotContain("c2VjcmV0");
        check(folder, "out-children.yaml", children);
        var status = TunnelConditions.planned(inputs.tunnel(), ready, AgentState.NONE, NOW);
        check(folder, "out-status.yaml", Samples.YAML.asYaml(status));
    }

    private static void check(Path folder, String file, String text) {
        if (Boolean.getBoolean("generate")) {
            try {
                Files.writeString(folder.resolve(file), text);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
        assertThat(text).isEqualTo(read(folder, file));
    }

    private static String read(Path folder, String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
