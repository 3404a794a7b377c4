package io.rstream.operator.tunnel;

import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;

/** Pure: whether a changed agent comes before the old one goes or after it, see docs/decisions/0005. */
final class ReplacementMode {

    private ReplacementMode() {}

    /**
     * The new one comes first, until an engine refuses it for the old one's sake. For that engine it stays at the old one
     * going first.
     *
     * @param engine address of the engine
     * @param hash hash of the wanted configuration
     */
    static AgentReplacement choose(RstreamTunnelStatus present, String engine, String hash) {
        var known = present.agentReplacement();
        var next = present.nextAgent();
        var refusedBefore =
                known != null && AgentReplacement.RECREATE.equals(known.mode()) && engine.equals(known.engine());
        var refusedNow = next != null && Boolean.TRUE.equals(next.claimRefused()) && hash.equals(next.configHash());
        return new AgentReplacement(
                refusedBefore || refusedNow ? AgentReplacement.RECREATE : AgentReplacement.ROLLING_UPDATE, engine);
    }
}
