package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/**
 * The agent that should replace the one which still holds the tunnel, while it has not managed to. Written by the newer
 * agent under the field manager {@link WellKnown#FIELD_MANAGER_NEXT_AGENT}; gone once it holds the tunnel.
 *
 * @param pod name of the newer agent's pod
 * @param configHash hash of the configuration that it runs
 * @param error why it does not hold the tunnel yet
 * @param claimRefused whether the engine refuses it because another agent holds the tunnel
 */
@Document
public record NextAgent(
        @JsonPropertyDescription("Name of the newer agent's pod.") @Nullable
        String pod,

        @JsonPropertyDescription("Hash of the configuration that the newer agent runs.") @Nullable
        String configHash,

        @JsonPropertyDescription("Why the newer agent does not hold the tunnel yet.") @Nullable
        String error,

        @JsonPropertyDescription("Whether the engine refuses the newer agent while the present one holds the tunnel.")
        @Nullable
        Boolean claimRefused) {}
