package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.Volume;
import io.rstream.api.v1alpha1.SecretKeyRef;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pure: the files of token, private authority and proxy login in the agent's pod. The kubelet renews files of a running
 * pod, and never variables; that is why a changed Secret needs no restart.
 */
final class CredentialsVolume {

    static final String DIRECTORY = "/var/run/rstream/credentials";
    static final String TOKEN_FILE = DIRECTORY + "/token";
    static final String CA_FILE = DIRECTORY + "/ca.crt";
    static final String PROXY_USERNAME_FILE = DIRECTORY + "/proxy-username";
    static final String PROXY_PASSWORD_FILE = DIRECTORY + "/proxy-password";

    static final String NAME = "credentials";

    private CredentialsVolume() {}

    /** The volume, or null when there is nothing to put into it. */
    static @Nullable Volume of(AgentCredentials credentials) {
        Map<String, SecretKeyRef> files = new LinkedHashMap<>();
        add(files, TOKEN_FILE, credentials.token());
        add(files, CA_FILE, credentials.certificateAuthority());
        add(files, PROXY_USERNAME_FILE, credentials.proxyUsername());
        add(files, PROXY_PASSWORD_FILE, credentials.proxyPassword());
        return files.isEmpty() ? null : SecretFiles.volume(NAME, DIRECTORY, files);
    }

    private static void add(Map<String, SecretKeyRef> files, String file, @Nullable SecretKeyRef ref) {
        if (ref != null) {
            files.put(file, ref);
        }
    }
}
