package io.rstream.e2e.install;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the real kubectl with one kubeconfig file. */
public record Kubectl(Path program, Path kubeconfig) {

    /** What a run gave. */
    public record Outcome(int exitCode, String output) {}

    /**
     * Runs a command that is expected to work.
     *
     * @return standard output and standard error together
     * @throws IllegalStateException when it fails; the message holds the output
     */
    public String run(String... arguments) {
        var outcome = attempt(arguments);
        if (outcome.exitCode() != 0) {
            throw new IllegalStateException("kubectl %s ended with %d: %s"
                    .formatted(
                            String.join(" ", arguments),
                            outcome.exitCode(),
                            outcome.output().strip()));
        }
        return outcome.output();
    }

    /** Runs a command that may fail. */
    public Outcome attempt(String... arguments) {
        var command = new ArrayList<String>();
        command.add(program.toString());
        command.add("--kubeconfig=" + kubeconfig);
        command.addAll(List.of(arguments));
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Outcome(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException("kubectl does not run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while kubectl ran", e);
        }
    }
}
