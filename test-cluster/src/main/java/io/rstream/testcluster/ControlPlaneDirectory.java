package io.rstream.testcluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import org.bouncycastle.asn1.x509.GeneralName;

/**
 * The private directory of one control plane in kube-api-test's layout. In place of the two servers stand short scripts, because
 * kube-api-test offers no way to say three things: etcd need not fsync (seconds of start-up), both listen on loopback only, and
 * both die, and the directory goes, when the JVM that started them is gone, however it went.
 */
final class ControlPlaneDirectory {

    static final String ADMIN = "kubernetes-admin";

    private final Path directory;
    private final ServingCertificate serving;

    private ControlPlaneDirectory(Path directory, ServingCertificate serving) {
        this.directory = directory;
        this.serving = serving;
    }

    static ControlPlaneDirectory create(Binaries binaries, String adminToken) {
        try {
            var directory = Files.createTempDirectory(
                    "rstream-control-plane-",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            var serving = ServingCertificate.selfSigned(
                    "CN=kube-apiserver",
                    new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
                    new GeneralName(GeneralName.dNSName, "localhost"),
                    new GeneralName(GeneralName.dNSName, "kubernetes.default.svc"));
            var created = new ControlPlaneDirectory(directory, serving);
            created.writeCertificates();
            Files.writeString(created.tokenFile(), "%s,%s,1,\"system:masters\"%n".formatted(adminToken, ADMIN));
            created.writePrograms(binaries);
            return created;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare the control plane's directory: " + e.getMessage(), e);
        }
    }

    Path path() {
        return directory;
    }

    Path tokenFile() {
        return directory.resolve("tokens.csv");
    }

    String caCertificatePem() {
        return serving.certificatePem();
    }

    /** Removes everything; what is already gone is fine. */
    void delete() {
        deleteTree(directory);
    }

    static void deleteTree(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (var files = Files.walk(root)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + root + ": " + e.getMessage(), e);
        }
    }

    /** The server's key also signs ServiceAccount tokens; as their verification key it is only read from a public key block. */
    private void writeCertificates() throws IOException {
        Files.writeString(directory.resolve("apiserver.crt"), serving.certificatePem());
        Files.writeString(directory.resolve("apiserver.key"), serving.keyPem() + serving.publicKeyPem());
        var client = ServingCertificate.selfSigned("O=system:masters,CN=kubeapitest");
        Files.writeString(directory.resolve("client.crt"), client.certificatePem());
        Files.writeString(directory.resolve("client.key"), client.keyPem());
    }

    private void writePrograms(Binaries binaries) throws IOException {
        var programs = directory.resolve("k8s").resolve(binaries.versionDirectory());
        Files.createDirectories(programs);
        Files.createSymbolicLink(programs.resolve("kubectl"), binaries.kubectl());
        // Arguments 2 and 4 are etcd's data and WAL directories, 6 the client URL with the port.
        program(
                programs.resolve("etcd"),
                "\"%s\" \"$@\" --unsafe-no-fsync --log-level=warn --listen-client-urls \"http://127.0.0.1:${6##*:}\""
                        .formatted(binaries.etcd()),
                "\"%s\" \"$2\" \"$4\"".formatted(directory),
                directory.resolve("etcd.log"));
        program(
                programs.resolve("kube-apiserver"),
                "\"%s\" \"$@\"".formatted(binaries.apiServer()),
                "\"%s\"".formatted(directory),
                directory.resolve("kube-apiserver.log"));
    }

    private static void program(Path file, String command, String leftovers, Path log) throws IOException {
        var script = """
            #!/bin/sh
            # Written by LocalCluster. The watcher ends the server once its JVM is gone, then removes what it left.
            jvm=$PPID
            server=$$
            (
              while kill -0 "$jvm" && kill -0 "$server"; do sleep 0.3; done
              kill -0 "$jvm" && exit 0
              kill -9 "$server"
              rm -rf %2$s
            ) >/dev/null 2>&1 </dev/null &
            exec %1$s >>"%3$s" 2>&1
            """.formatted(command, leftovers, log);
        Files.writeString(file, script, StandardCharsets.UTF_8);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
}
