package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pure: what the cluster says about a tunnel's agent, beside what the agent says itself.
 *
 * @param rollout how far the Deployment is
 * @param creationTrouble why no pod can be made, in words with what to do; null if nothing hinders that
 * @param pods the agent's pods
 * @param lostPod name of the pod that served the tunnel and is gone, if that was found out in this pass
 */
record AgentState(
        AgentRollout rollout,
        @Nullable String creationTrouble,
        List<AgentPod> pods,
        @Nullable String lostPod) {

    /** Nothing runs. */
    static final AgentState NONE = new AgentState(AgentRollout.NOT_STARTED, null, List.of(), null);

    AgentState {
        pods = List.copyOf(pods);
    }

    static AgentState of(@Nullable Deployment deployment, List<AgentPod> pods, @Nullable String lostPod) {
        return new AgentState(AgentRollout.of(deployment), creationTrouble(deployment), pods, lostPod);
    }

    Optional<AgentPod> pod(@Nullable String name) {
        return pods.stream().filter(pod -> pod.name().equals(name)).findFirst();
    }

    /** Why no pod with that configuration gets ready, if something stands in the way. */
    Optional<String> trouble(String hash) {
        return current(hash)
                .map(AgentPod::trouble)
                .filter(Objects::nonNull)
                .findFirst()
                .or(() -> Optional.ofNullable(creationTrouble));
    }

    /** A pod with that configuration whose process runs and that is not ready. */
    Optional<AgentPod> unready(String hash) {
        return current(hash).filter(pod -> pod.running() && !pod.ready()).findFirst();
    }

    /** Whether an agent with that configuration is ready, which says that its tunnel is open. */
    boolean isServing(String hash) {
        return current(hash).anyMatch(pod -> pod.ready() && hash.equals(pod.configHash()));
    }

    private Stream<AgentPod> current(String hash) {
        return pods.stream().filter(pod -> pod.isFor(hash) && !pod.terminating());
    }

    private static @Nullable String creationTrouble(@Nullable Deployment deployment) {
        if (deployment == null
                || deployment.getStatus() == null
                || deployment.getStatus().getConditions() == null) {
            return null;
        }
        return deployment.getStatus().getConditions().stream()
                .filter(condition -> "ReplicaFailure".equals(condition.getType()))
                .filter(condition -> "True".equals(condition.getStatus()))
                .map(DeploymentCondition::getMessage)
                .map(PodTrouble::ofCreation)
                .findFirst()
                .orElse(null);
    }
}
