package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * A Secret with which the agent's image is pulled.
 *
 * @param name name of a Secret of a docker-registry type in the tunnel's namespace
 */
@Document
public record ImagePullSecret(
        @JsonPropertyDescription("Name of a Secret in the tunnel's namespace.") @Required @Size(min = 1)
        String name) {}
