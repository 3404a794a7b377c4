package io.rstream.e2e.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.e2e.process.EngineProcess;
import io.rstream.e2e.process.JavaProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Whether a process came through a test unharmed. */
public final class Soundness {
    /** What may happen between the collection and the look at the log. */
    @FunctionalInterface
    public interface Activity {
        void run() throws Exception;
    }

    private Soundness() {}

    /**
     * Fails when a process is gone, ran out of memory, logged an error or lost a buffer. Netty notices a lost buffer when
     * the next one is allocated after its collection, hence the activity.
     */
    public static void verify(List<JavaProcess> processes, Activity activity) throws Exception {
        for (JavaProcess process : processes) {
            assertThat(process.alive()).as(process.name() + " runs").isTrue();
            collectGarbage(process);
        }
        activity.run();
        for (JavaProcess process : processes) {
            assertThat(process.log().containing("LEAK")).as(process.name()).isEmpty();
            assertThat(process.log().containing("OutOfMemory"))
                    .as(process.name())
                    .isEmpty();
            assertThat(process.log().lines())
                    .as(process.name())
                    .noneMatch(line -> line.level().equals("ERROR"));
        }
    }

    /** The present value of one of the engine's metrics without labels. */
    public static double metric(EngineProcess engine, String name) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            String text = client.send(
                            HttpRequest.newBuilder(
                                            URI.create("http://127.0.0.1:" + engine.managementPort() + "/metrics"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            return text.lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(name + " is missing in:\n" + text));
        }
    }

    private static void collectGarbage(JavaProcess process) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        String.valueOf(process.pid()),
                        "GC.run")
                .redirectErrorStream(true)
                .start();
        String output = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jcmd.waitFor()).as(output).isZero();
    }
}
