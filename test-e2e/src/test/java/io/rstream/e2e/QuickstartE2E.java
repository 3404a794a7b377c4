package io.rstream.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.e2e.process.JavaLaunch;
import io.rstream.e2e.process.JavaProcess;
import io.rstream.e2e.process.JvmFlags;
import io.rstream.e2e.process.LogLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuickstartE2E {

    @TempDir
    Path temporary;

    @Test
    void showsAllAnswersAndLeavesNothingBehindAfterASignal() throws Exception {
        try (var quickstart = JavaProcess.start(quickstart())) {
            quickstart
                    .log()
                    .await("the end of the show", line -> line.text().startsWith("Ctrl-C"), Duration.ofSeconds(150));
            var children = ProcessHandle.of(quickstart.pid())
                    .orElseThrow()
                    .descendants()
                    .toList();

            quickstart.terminate();

            assertThat(quickstart.awaitExit(Duration.ofSeconds(60))).isZero();
            assertThat(screen(quickstart))
                    .contains(
                            "NAMESPACE",
                            "Hello from rstream-demo",
                            "hello over TCP",
                            "export KUBECONFIG=",
                            "curl --cacert")
                    // The second connection names a project, which the engine resolves to itself.
                    .containsPattern("rstreamconnection\\S*/default +edge\\.rstream\\.localhost:\\d+ +True")
                    .containsPattern("rstreamconnection\\S*/project +edge +edge\\.rstream\\.localhost:\\d+ +True")
                    .containsPattern("rstreamtunnel\\S*/web-by-project +True .*https://")
                    .containsPattern("curl https://\\S+\nHello from rstream-demo\n\n\\$ curl https://\\S+\nHello");
            assertThat(children).isNotEmpty().noneMatch(ProcessHandle::isAlive);
        }
        try (var left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void saysInOneSentenceWhatToInstallAndKeepsItsLogs() throws Exception {
        var launch = quickstart().withEnvironment("PATH", temporary.toString());

        try (var quickstart = JavaProcess.start(launch)) {
            var exitCode = quickstart.awaitExit(Duration.ofSeconds(60));

            assertThat(exitCode).isEqualTo(1);
            assertThat(quickstart.errors().lines())
                    .extracting(LogLine::text)
                    .satisfiesExactly(
                            reason -> assertThat(reason)
                                    .isEqualTo("quickstart failed: curl was not found; install curl"
                                            + " (for example: apt-get install curl)"),
                            place -> assertThat(place).startsWith("Its logs are in " + temporary));
        }
        try (var left = Files.walk(temporary)) {
            assertThat(left.filter(Files::isRegularFile))
                    .allMatch(file -> file.toString().endsWith(".log"));
        }
    }

    private JavaLaunch quickstart() {
        var flags = new ArrayList<>(JvmFlags.OPERATOR);
        flags.add("-Djava.io.tmpdir=" + temporary);
        return JavaLaunch.of("quickstart", Quickstart.class.getName()).withJvmFlags(flags);
    }

    private static String screen(JavaProcess process) {
        return process.log().lines().stream().map(LogLine::text).collect(Collectors.joining("\n"));
    }
}
