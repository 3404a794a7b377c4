package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.VolumeProjectionBuilder;
import io.rstream.api.v1alpha1.MutualTls;
import io.rstream.api.v1alpha1.SecretKeyRef;
import java.util.ArrayList;
import java.util.List;

/** Pure: the files of the client certificate in the agent's pod. The configuration names these paths. */
public final class MutualTlsVolume {

    public static final String DIRECTORY = "/var/run/rstream/mtls";
    public static final String CERTIFICATE_FILE = DIRECTORY + "/tls.crt";
    public static final String KEY_FILE = DIRECTORY + "/tls.key";
    public static final String CA_FILE = DIRECTORY + "/ca.crt";

    static final String NAME = "mtls";

    private MutualTlsVolume() {}

    static Volume of(MutualTls mtls) {
        List<VolumeProjection> sources = new ArrayList<>();
        sources.add(source(mtls.certSecretRef(), CERTIFICATE_FILE));
        sources.add(source(mtls.keySecretRef(), KEY_FILE));
        if (mtls.caSecretRef() != null) {
            sources.add(source(mtls.caSecretRef(), CA_FILE));
        }
        return new VolumeBuilder()
                .withName(NAME)
                .withNewProjected()
                .withSources(sources)
                .endProjected()
                .build();
    }

    private static VolumeProjection source(SecretKeyRef ref, String file) {
        return new VolumeProjectionBuilder()
                .withNewSecret()
                .withName(ref.name())
                .addNewItem()
                .withKey(ref.key())
                .withPath(file.substring(DIRECTORY.length() + 1))
                .endItem()
                .endSecret()
                .build();
    }
}
