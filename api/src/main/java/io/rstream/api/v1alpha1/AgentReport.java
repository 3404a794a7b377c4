package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/**
 * Which agent holds the tunnel, and what it runs with. Written by that agent together with the condition {@link
 * ConditionType#TUNNEL_READY}; the operator believes the condition only while this pod exists and is ready, and only for
 * this configuration.
 *
 * @param pod name of the agent's pod; empty for an agent that runs outside of one
 * @param generation generation of the tunnel whose configuration the agent runs; absent while it does not know
 * @param configHash hash of the configuration that the agent runs, see {@link WellKnown#ANNOTATION_CONFIG_HASH}
 * @param targetError why the Service cannot be reached, as found by the latest attempts; absent while it can
 */
@Document
public record AgentReport(
        @JsonPropertyDescription("Name of the agent's pod.") @Nullable
        String pod,

        @JsonPropertyDescription("Generation of the tunnel whose configuration the agent runs.") @Nullable
        Long generation,

        @JsonPropertyDescription("Hash of the configuration that the agent runs.") @Nullable
        String configHash,

        @JsonPropertyDescription("Why the agent cannot reach the Service. Absent while it can.") @Nullable
        String targetError) {}
