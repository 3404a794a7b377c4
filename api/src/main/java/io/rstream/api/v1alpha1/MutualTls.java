package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/**
 * Client certificate with which agents identify themselves to the engine.
 *
 * @param certSecretRef PEM certificate chain, leaf first
 * @param keySecretRef PEM private key of the leaf
 * @param caSecretRef PEM bundle that replaces the system roots for the engine's certificate
 */
@Document
public record MutualTls(
        @JsonPropertyDescription("Secret key that holds the client certificate in PEM form, with its chain if any.")
        @Required
        SecretKeyRef certSecretRef,

        @JsonPropertyDescription("Secret key that holds the private key of the client certificate in PEM form.")
        @Required
        SecretKeyRef keySecretRef,

        @JsonPropertyDescription("Secret key that holds the certificates, in PEM form, that the engine's certificate"
                + " must come from. Without it the agent trusts the system's certificate authorities.")
        @Nullable
        SecretKeyRef caSecretRef) {}
