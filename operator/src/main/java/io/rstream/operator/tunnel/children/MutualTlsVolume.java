package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.Volume;
import io.rstream.api.v1alpha1.MutualTls;
import io.rstream.api.v1alpha1.SecretKeyRef;
import java.util.LinkedHashMap;
import java.util.Map;

/** Pure: the files of the client certificate in the agent's pod. The configuration names these paths. */
public final class MutualTlsVolume {

    public static final String DIRECTORY = "/var/run/rstream/mtls";
    public static final String CERTIFICATE_FILE = DIRECTORY + "/tls.crt";
    public static final String KEY_FILE = DIRECTORY + "/tls.key";
    public static final String CA_FILE = DIRECTORY + "/ca.crt";

    static final String NAME = "mtls";

    private MutualTlsVolume() {}

    static Volume of(MutualTls mtls) {
        Map<String, SecretKeyRef> files = new LinkedHashMap<>();
        files.put(CERTIFICATE_FILE, mtls.certSecretRef());
        files.put(KEY_FILE, mtls.keySecretRef());
        if (mtls.caSecretRef() != null) {
            files.put(CA_FILE, mtls.caSecretRef());
        }
        return SecretFiles.volume(NAME, DIRECTORY, files);
    }
}
