package io.rstream.operator.connection;

import io.rstream.api.v1alpha1.SecretKeyRef;
import io.rstream.process.Secret;
import java.util.Optional;

/** Reads values of Secrets at the moment of their use. */
@FunctionalInterface
public interface SecretValues {

    /**
     * Reads a value; empty when Secret or key do not exist.
     *
     * @param namespace namespace of the Secret
     * @throws io.fabric8.kubernetes.client.KubernetesClientException when it cannot be read; worth another try
     */
    Optional<Secret> value(String namespace, SecretKeyRef ref);
}
