package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What operator and agent found out about a tunnel. Each writes its own fields by server-side apply: the agent the
 * condition {@link ConditionType#TUNNEL_READY}, {@code tunnelID} and {@code forwardingAddress}, the operator the rest.
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
        String lastError) {

    private static final RstreamTunnelStatus EMPTY =
            new RstreamTunnelStatus(null, List.of(), null, null, null, null, null, null, null);

    public RstreamTunnelStatus {
        conditions = Absent.toEmpty(conditions);
    }

    /** The status of a tunnel that nobody has written yet. */
    public static RstreamTunnelStatus empty() {
        return EMPTY;
    }
}
