package io.rstream.operator.connection;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.processing.event.source.informer.TransformingItemStore;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the operator keeps of a Secret: that it exists, its version and the names of its keys. Values are dropped before
 * anything is cached.
 *
 * @param name name of the Secret
 * @param resourceVersion its version
 * @param keys the keys that it has, also those with an empty value
 */
public record SecretKeys(String name, String resourceVersion, Set<String> keys) {

    public SecretKeys {
        keys = Set.copyOf(keys);
    }

    /** The same knowledge of a Secret, with or without values. */
    public static SecretKeys of(Secret secret) {
        var data = secret.getData();
        return new SecretKeys(
                secret.getMetadata().getName(),
                secret.getMetadata().getResourceVersion(),
                data == null ? Set.of() : data.keySet());
    }

    /** A cache that keeps Secrets without values, annotations and managed fields. */
    public static TransformingItemStore<Secret> cacheWithoutValues() {
        return new TransformingItemStore<>(SecretKeys::withoutValues);
    }

    static Secret withoutValues(Secret secret) {
        var metadata = secret.getMetadata();
        var bare = new Secret();
        bare.setMetadata(new ObjectMetaBuilder()
                .withNamespace(metadata.getNamespace())
                .withName(metadata.getName())
                .withUid(metadata.getUid())
                .withResourceVersion(metadata.getResourceVersion())
                .build());
        Map<String, String> keys = new TreeMap<>();
        if (secret.getData() != null) {
            secret.getData().keySet().forEach(key -> keys.put(key, ""));
        }
        bare.setData(keys);
        return bare;
    }
}
