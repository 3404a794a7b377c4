package io.rstream.api.v1alpha1;

import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs kubectl against the test cluster, as a user would. */
final class Kubectl {

    private final Path program;
    private final Path kubeconfig;

    Kubectl(LocalCluster cluster, Path directory) {
        this.program = cluster.kubectl();
        this.kubeconfig = directory.resolve("kubeconfig");
        try {
            Files.writeString(kubeconfig, cluster.kubeconfigYaml());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + kubeconfig, e);
        }
    }

    /** Output of the command; an assertion error with all that it printed when it fails. */
    String run(String... arguments) {
        var command = Stream.concat(
                        Stream.of(program.toString(), "--kubeconfig=" + kubeconfig, "--warnings-as-errors"),
                        Stream.of(arguments))
                .toList();
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError("kubectl " + List.of(arguments) + " failed:\n" + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + program, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while kubectl ran", e);
        }
    }
}
