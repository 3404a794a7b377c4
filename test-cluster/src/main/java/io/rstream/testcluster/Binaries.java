package io.rstream.testcluster;

import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubeapitest.binary.BinaryManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where kube-apiserver, etcd and kubectl are; the script of the repository provides them when they are not there yet. */
record Binaries(String versionDirectory, Path apiServer, Path etcd, Path kubectl) {

    /**
     * Finds the binaries, building or downloading them when needed.
     *
     * @param configured the value of KUBE_API_TEST_DIR, or null to ask {@code hack/control-plane/provide.sh}
     */
    static Binaries provide(@Nullable String configured, Path repositoryRoot) {
        var directory = configured == null || configured.isBlank() ? askScript(repositoryRoot) : configured;
        var manager = new BinaryManager(KubeAPIServerConfigBuilder.anAPIServerConfig()
                .withTestDir(directory)
                .withOfflineMode(false)
                .withWaitForEtcdHealthCheckOnStartup(false)
                .withStartupTimeout(1)
                .build());
        manager.initAndDownloadIfRequired();
        var found = manager.binaries();
        var version = found.getApiServer().getAbsoluteFile().toPath().getParent();
        if (version == null) {
            throw new IllegalStateException("kube-apiserver in " + directory + " has no version directory");
        }
        return new Binaries(
                String.valueOf(version.getFileName()),
                found.getApiServer().getAbsoluteFile().toPath(),
                found.getEtcd().getAbsoluteFile().toPath(),
                found.getKubectl().getAbsoluteFile().toPath());
    }

    private static String askScript(Path repositoryRoot) {
        var script = repositoryRoot.resolve("hack/control-plane/provide.sh");
        try {
            var process = new ProcessBuilder(script.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            process.getOutputStream().close();
            var directory =
                    new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(script + " did not provide the control plane; its message is above");
            }
            return directory.strip();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + script + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + script + " ran", e);
        }
    }
}
