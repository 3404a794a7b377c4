package io.rstream.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rstream.testcluster.LocalCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The operator as users start it: a process of its own. */
@Timeout(120)
class OperatorMainIT {

    private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() {};
    private static LocalCluster cluster;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        cluster = LocalCluster.shared();
        cluster.installCrds();
        cluster.apply(LocalCluster.repositoryRoot().resolve("config/rbac"));
    }

    @Test
    @Tag("parity-117")
    void runsUntilItIsToldToStopAndLogsJson() throws IOException, InterruptedException {
        var token = cluster.serviceAccountToken(
                "rstream-system", "rstream-operator-controller-manager", Duration.ofHours(1));
        var kubeconfig = Files.writeString(directory.resolve("kubeconfig"), cluster.kubeconfigYaml(token));
        var process = operator("--kubeconfig=" + kubeconfig, "--agent-image=agent:1", "--zap-encoder=json");
        List<String> lines = new ArrayList<>();

        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            readUntil(output, "Operator started", lines);
            process.toHandle().destroy(); // SIGTERM, without closing our end of the output
            output.lines().forEach(lines::add);
        }

        assertThat(process.waitFor()).isZero();
        assertThat(lines)
                .allSatisfy(line ->
                        assertThat(new ObjectMapper().readValue(line, FIELDS)).containsKeys("time", "level", "msg"));
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).contains("Starting manager", "\"agentImage\":\"agent:1\""));
        assertThat(lines).noneMatch(line -> line.contains(token));
    }

    @Test
    void endsWithCode1AndTheCauseWhenTheApiServerIsAway() throws IOException, InterruptedException {
        var kubeconfig = Files.writeString(
                directory.resolve("kubeconfig"),
                cluster.kubeconfigYaml().replace(cluster.apiServer().toString(), "https://127.0.0.1:1"));

        var process = operator("--kubeconfig", kubeconfig.toString());

        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(output.lines().filter(line -> line.contains("\"level\":\"ERROR\"")))
                .singleElement()
                .asString()
                .contains("cannot list rstreamconnections.tunnels.rstream.io at https://127.0.0.1:1/");
    }

    private static void readUntil(BufferedReader output, String text, List<String> lines) throws IOException {
        for (var line = output.readLine(); line != null; line = output.readLine()) {
            lines.add(line);
            if (line.contains(text)) {
                return;
            }
        }
        throw new AssertionError("the operator ended without \"" + text + "\": " + lines);
    }

    private static Process operator(String... flags) throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var command = Stream.concat(
                        Stream.of(
                                java,
                                "-Xmx128m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                OperatorMain.class.getName(),
                                "--metrics-bind-address=127.0.0.1:0",
                                "--health-probe-bind-address=127.0.0.1:0"),
                        Stream.of(flags))
                .toList();
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
