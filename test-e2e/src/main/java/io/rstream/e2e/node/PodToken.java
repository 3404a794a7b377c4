package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;

/**
 * The ServiceAccount directory of a pod: a token from the TokenRequest API that is bound to the pod and renewed at four fifths of its
 * life, the API server's CA, the namespace.
 */
final class PodToken {

    private static final Duration VALIDITY = Duration.ofHours(1);
    private static final Duration RENEWAL = VALIDITY.multipliedBy(4).dividedBy(5);

    private final Path directory;
    private final KubernetesClient client;
    private final Pod pod;
    private Instant renewAt = Instant.EPOCH;

    PodToken(Path directory, KubernetesClient client, Pod pod) {
        this.directory = directory;
        this.client = client;
        this.pod = pod;
    }

    Path directory() {
        return directory;
    }

    void write(String caCertificatePem) throws IOException, NotYetException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(directory.resolve("ca.crt"), caCertificatePem);
        Files.writeString(directory.resolve("namespace"), pod.getMetadata().getNamespace());
        writeToken(Instant.now());
    }

    /** Writes a new token when the present one has little life left; a failure is tried again at the next call. */
    void renewWhenDue(Instant now) throws IOException, NotYetException {
        if (!now.isBefore(renewAt)) {
            writeToken(now);
        }
    }

    private void writeToken(Instant now) throws IOException, NotYetException {
        var next = Files.writeString(directory.resolve("token.next"), request());
        Files.move(
                next, directory.resolve("token"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        renewAt = now.plus(RENEWAL);
    }

    private String request() throws NotYetException {
        var metadata = pod.getMetadata();
        var request = new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(VALIDITY.toSeconds())
                .withNewBoundObjectRef("v1", "Pod", metadata.getName(), metadata.getUid())
                .endSpec()
                .build();
        var account = pod.getSpec().getServiceAccountName();
        try {
            return client.serviceAccounts()
                    .inNamespace(metadata.getNamespace())
                    .withName(account)
                    .tokenRequest(request)
                    .getStatus()
                    .getToken();
        } catch (KubernetesClientException e) {
            throw NotYetException.volume(
                    "kube-api-access", "no token for serviceaccount \"%s\": status %d".formatted(account, e.getCode()));
        }
    }
}
