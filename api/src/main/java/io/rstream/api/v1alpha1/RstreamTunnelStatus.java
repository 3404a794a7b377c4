package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What operator and agent found out about a tunnel. Each writes its own fields by server-side apply: the agent the
 * condition {@link ConditionType#TUNNEL_READY}, {@code tunnelID}, {@code forwardingAddress} and {@code agent}, an agent that
 * is to take over {@code nextAgent}, the operator the rest.
 *
 * @param observedGeneration generation that the operator's part describes
 * @param conditions one for each {@link ConditionType}
 * @param tunnelID tunnel ID that the engine gave; absent while the tunnel is not online
 * @param rstreamName name registered in rstream
 * @param hostname public host name, kept once it is chosen
 * @param forwardingAddress where callers reach the tunnel; absent while it is not online
 * @param target {@code host:port} that the agent dials
 * @param agentDeployment name of the agent's Deployment
 * @param lastError the present error in words; absent without one
 * @param agentConfigHash hash of the agent configuration that the spec asks for
 * @param agentReplacement how a changed agent takes the place of the running one
 * @param agent the agent that holds the tunnel, or did last
 * @param nextAgent the agent that should replace it and has not managed to yet
 */
@Document
public record RstreamTunnelStatus(
        @JsonPropertyDescription("Generation of the tunnel that this status describes.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("Accepted, Resolved, AgentReady, TunnelReady and, summing them up, Ready.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<Condition> conditions,

        @JsonPropertyDescription("ID that the engine gave to the tunnel.") @Nullable
        String tunnelID,

        @JsonPropertyDescription("Name of the tunnel in rstream.") @Nullable
        String rstreamName,

        @JsonPropertyDescription("Public host name of the tunnel.") @Nullable
        String hostname,

        @JsonPropertyDescription("Where callers reach the tunnel, for example https://web.example.com.") @Nullable
        String forwardingAddress,

        @JsonPropertyDescription("Host and port that the agent connects to.") @Nullable
        String target,

        @JsonPropertyDescription("Name of the agent's Deployment.") @Nullable
        String agentDeployment,

        @JsonPropertyDescription("What is wrong at present, in words. Empty when nothing is.") @Nullable
        String lastError,

        @JsonPropertyDescription("Hash of the agent configuration that the spec asks for.") @Nullable
        String agentConfigHash,

        @JsonPropertyDescription("How a changed agent takes the place of the running one.") @Nullable
        AgentReplacement agentReplacement,

        @JsonPropertyDescription("The agent that holds the tunnel, or did last.") @Nullable
        AgentReport agent,

        @JsonPropertyDescription("The agent that should take over and has not managed to yet.") @Nullable
        NextAgent nextAgent) {

    private static final RstreamTunnelStatus EMPTY = new Builder().build();

    public RstreamTunnelStatus {
        conditions = Absent.toEmpty(conditions);
    }

    /** The status of a tunnel that nobody has written yet. */
    public static RstreamTunnelStatus empty() {
        return EMPTY;
    }

    /** Collects a status; what is not set is absent. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with this status. */
    public Builder toBuilder() {
        return new Builder()
                .observedGeneration(observedGeneration)
                .conditions(conditions)
                .tunnelID(tunnelID)
                .rstreamName(rstreamName)
                .hostname(hostname)
                .forwardingAddress(forwardingAddress)
                .target(target)
                .agentDeployment(agentDeployment)
                .lastError(lastError)
                .agentConfigHash(agentConfigHash)
                .agentReplacement(agentReplacement)
                .agent(agent)
                .nextAgent(nextAgent);
    }

    /** Collects the fields of a status; each setter takes what the component of the same name documents. */
    public static final class Builder {
        private @Nullable Long observedGeneration;
        private List<Condition> conditions = List.of();
        private @Nullable String tunnelID;
        private @Nullable String rstreamName;
        private @Nullable String hostname;
        private @Nullable String forwardingAddress;
        private @Nullable String target;
        private @Nullable String agentDeployment;
        private @Nullable String lastError;
        private @Nullable String agentConfigHash;
        private @Nullable AgentReplacement agentReplacement;
        private @Nullable AgentReport agent;
        private @Nullable NextAgent nextAgent;

        private Builder() {}

        /** Sets {@code observedGeneration}. */
        public Builder observedGeneration(@Nullable Long value) {
            observedGeneration = value;
            return this;
        }

        /** Sets {@code conditions}. */
        public Builder conditions(List<Condition> value) {
            conditions = value;
            return this;
        }

        /** Sets {@code tunnelID}. */
        public Builder tunnelID(@Nullable String value) {
            tunnelID = value;
            return this;
        }

        /** Sets {@code rstreamName}. */
        public Builder rstreamName(@Nullable String value) {
            rstreamName = value;
            return this;
        }

        /** Sets {@code hostname}. */
        public Builder hostname(@Nullable String value) {
            hostname = value;
            return this;
        }

        /** Sets {@code forwardingAddress}. */
        public Builder forwardingAddress(@Nullable String value) {
            forwardingAddress = value;
            return this;
        }

        /** Sets {@code target}. */
        public Builder target(@Nullable String value) {
            target = value;
            return this;
        }

        /** Sets {@code agentDeployment}. */
        public Builder agentDeployment(@Nullable String value) {
            agentDeployment = value;
            return this;
        }

        /** Sets {@code lastError}. */
        public Builder lastError(@Nullable String value) {
            lastError = value;
            return this;
        }

        /** Sets {@code agentConfigHash}. */
        public Builder agentConfigHash(@Nullable String value) {
            agentConfigHash = value;
            return this;
        }

        /** Sets {@code agentReplacement}. */
        public Builder agentReplacement(@Nullable AgentReplacement value) {
            agentReplacement = value;
            return this;
        }

        /** Sets {@code agent}. */
        public Builder agent(@Nullable AgentReport value) {
            agent = value;
            return this;
        }

        /** Sets {@code nextAgent}. */
        public Builder nextAgent(@Nullable NextAgent value) {
            nextAgent = value;
            return this;
        }

        /** The status. */
        public RstreamTunnelStatus build() {
            return new RstreamTunnelStatus(
                    observedGeneration,
                    conditions,
                    tunnelID,
                    rstreamName,
                    hostname,
                    forwardingAddress,
                    target,
                    agentDeployment,
                    lastError,
                    agentConfigHash,
                    agentReplacement,
                    agent,
                    nextAgent);
        }
    }
}
