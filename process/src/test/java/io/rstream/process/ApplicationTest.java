package io.rstream.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApplicationTest {

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Application application = new Application("test", Duration.ofSeconds(5));

    @Test
    void startsInOrderAndStopsInReverse() {
        application.part("one", part("one")).part("two", part("two")).part("end", () -> {
            application.requestStop(7, "done");
            application.requestStop(8, "too late");
            return () -> {};
        });

        int exitCode = application.run();

        assertThat(exitCode).isEqualTo(7);
        assertThat(events).containsExactly("start one", "start two", "stop two", "stop one");
    }

    @Test
    void stopsWhatHadStartedWhenAPartCannotStart() {
        application.part("one", part("one")).part("bad", () -> {
            throw new IOException("port in use");
        });
        application.part("never", part("never"));

        int exitCode = application.run();

        assertThat(exitCode).isEqualTo(ExitCode.FAILURE);
        assertThat(events).containsExactly("start one", "stop one");
    }

    @Test
    void stopsWhatHadStartedWhenAClassIsMissing() {
        application.part("one", part("one")).part("bad", () -> {
            throw new NoClassDefFoundError("io/example/Missing");
        });

        int exitCode = application.run();

        assertThat(exitCode).isEqualTo(ExitCode.FAILURE);
        assertThat(events).containsExactly("start one", "stop one");
    }

    @Test
    void goesOnStoppingWhenAPartFailsOrHangs() {
        CountDownLatch never = new CountDownLatch(1);
        Application impatient = new Application("test", Duration.ofMillis(50));
        impatient
                .part("first", part("first"))
                .part("hangs", () -> never::await)
                .part("fails", () -> () -> {
                    throw new IllegalStateException("cannot close");
                })
                .part("end", () -> {
                    impatient.requestStop(ExitCode.OK, "done");
                    return () -> {};
                });

        int exitCode = impatient.run();

        assertThat(exitCode).isEqualTo(ExitCode.OK);
        assertThat(events).containsExactly("start first", "stop first");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void endsWithZeroAfterASignal(String signal) throws Exception {
        // A build in the background ignores SIGINT, and so would its children.
        Process process = new ProcessBuilder(
                        "env",
                        "--default-signal=" + signal,
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SignalledProcess.class.getName())
                .redirectErrorStream(true)
                .start();
        try (var output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("started");

            new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                    .start()
                    .waitFor();

            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(output.lines()).contains("stopped cleanly");
            assertThat(process.exitValue()).isZero();
        }
    }

    private Application.Starter part(String name) {
        return () -> {
            events.add("start " + name);
            return () -> events.add("stop " + name);
        };
    }
}
