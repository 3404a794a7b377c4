package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.Comparator;

/**
 * One key of a Secret in the namespace of the connection that refers to it. Ordered by name, then key.
 *
 * @param name name of the Secret
 * @param key key in the Secret's data
 */
@Document
public record SecretKeyRef(
        @JsonPropertyDescription("Name of the Secret. It is read in the namespace of the connection.")
        @Required
        @Size(min = 1)
        String name,

        @JsonPropertyDescription("Key in the Secret's data whose value is used.") @Required @Size(min = 1)
        String key)
        implements Comparable<SecretKeyRef> {

    private static final Comparator<SecretKeyRef> ORDER =
            Comparator.comparing(SecretKeyRef::name).thenComparing(SecretKeyRef::key);

    public SecretKeyRef {
        // A definition without our schema lets these through; caches are indexed by them.
        if (name == null || key == null) {
            throw new IllegalArgumentException("a reference to a Secret needs name and key");
        }
    }

    @Override
    public int compareTo(SecretKeyRef other) {
        return ORDER.compare(this, other);
    }
}
