package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * An extra HTTP header of the operator's calls to the control plane.
 *
 * @param name header name
 * @param valueSecretRef where the value is kept
 */
@Document
public record ControlPlaneHeader(
        @JsonPropertyDescription("Name of the HTTP header. Headers that HTTP itself or the operator sets are refused.")
        @Required
        @Size(min = 1, max = 256)
        String name,

        @JsonPropertyDescription("Secret key that holds the header's value. Surrounding white space is removed.")
        @Required
        SecretKeyRef valueSecretRef) {}
