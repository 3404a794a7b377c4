package io.rstream.e2e.node;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.rstream.e2e.process.JvmFlags;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * What a local node works with.
 *
 * @param client with all rights, for the node's own calls; not closed by the node
 * @param apiServer what agents find in KUBERNETES_SERVICE_HOST and _PORT; may be a proxy
 * @param apiServerCa what agents find as {@code ca.crt}, PEM
 * @param directory for files of the pods and logs; must exist
 * @param engineCaFile PEM bundle that agents trust for engines (SSL_CERT_FILE)
 * @param jvmFlags flags of the agents' JVMs
 */
public record NodeSettings(
        KubernetesClient client,
        URI apiServer,
        String apiServerCa,
        Path directory,
        Path engineCaFile,
        List<String> jvmFlags) {

    /** Copies the flags. */
    public NodeSettings {
        jvmFlags = List.copyOf(jvmFlags);
    }

    /** With the JVM flags of the agent's image. */
    public static NodeSettings of(
            KubernetesClient client, URI apiServer, String apiServerCa, Path directory, Path engineCaFile) {
        return new NodeSettings(client, apiServer, apiServerCa, directory, engineCaFile, JvmFlags.AGENT);
    }
}
