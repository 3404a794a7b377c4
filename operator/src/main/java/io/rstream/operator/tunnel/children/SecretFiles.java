package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.VolumeProjectionBuilder;
import io.rstream.api.v1alpha1.SecretKeyRef;
import java.util.Map;

/** Pure: keys of Secrets as files of a pod, which every user in the pod may read (mode 0644, the default). */
final class SecretFiles {

    private SecretFiles() {}

    /**
     * A volume.
     *
     * @param directory where it will be mounted
     * @param files paths below that directory, and what is in them
     */
    static Volume volume(String name, String directory, Map<String, SecretKeyRef> files) {
        return new VolumeBuilder()
                .withName(name)
                .withNewProjected()
                .withSources(files.entrySet().stream()
                        .map(file -> source(file.getValue(), file.getKey().substring(directory.length() + 1)))
                        .toList())
                .endProjected()
                .build();
    }

    private static VolumeProjection source(SecretKeyRef ref, String path) {
        return new VolumeProjectionBuilder()
                .withNewSecret()
                .withName(ref.name())
                .addNewItem()
                .withKey(ref.key())
                .withPath(path)
                .endItem()
                .endSecret()
                .build();
    }
}
