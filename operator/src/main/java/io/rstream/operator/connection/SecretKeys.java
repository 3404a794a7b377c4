package io.rstream.operator.connection;

import io.fabric8.kubernetes.api.model.Secret;
import java.util.Set;

/**
 * What resolving needs of a Secret: that it exists, its version and the names of its keys; never a value.
 *
 * @param name name of the Secret
 * @param resourceVersion its version
 * @param keys the keys that it has, also those with an empty value
 */
public record SecretKeys(String name, String resourceVersion, Set<String> keys) {

    public SecretKeys {
        keys = Set.copyOf(keys);
    }

    /** What is kept of a Secret that was read. */
    public static SecretKeys of(Secret secret) {
        var data = secret.getData();
        return new SecretKeys(
                secret.getMetadata().getName(),
                secret.getMetadata().getResourceVersion(),
                data == null ? Set.of() : data.keySet());
    }
}
