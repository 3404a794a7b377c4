package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Pure: how far the agent's Deployment is with what it was last told. */
enum AgentRollout {
    /** No pod of the wanted shape exists as far as the Deployment knows. */
    NOT_STARTED,
    /** A pod of the wanted shape exists and is not ready. */
    NOT_READY,
    /** The only pod is of the wanted shape, and is ready. */
    AVAILABLE;

    /** Old pods do not count: while one is left, or the Deployment has not looked at its new spec, nothing is rolled out. */
    static AgentRollout of(@Nullable Deployment deployment) {
        var status = deployment == null ? null : deployment.getStatus();
        if (deployment == null || status == null || !hasSeenSpec(deployment, status)) {
            return NOT_STARTED;
        }
        var updated = count(status.getUpdatedReplicas());
        if (updated < 1 || count(status.getReplicas()) > updated) {
            return NOT_STARTED;
        }
        return count(status.getReadyReplicas()) >= 1 && count(status.getAvailableReplicas()) >= 1
                ? AVAILABLE
                : NOT_READY;
    }

    private static boolean hasSeenSpec(Deployment deployment, DeploymentStatus status) {
        var generation = Objects.requireNonNullElse(deployment.getMetadata().getGeneration(), 0L);
        return Objects.requireNonNullElse(status.getObservedGeneration(), 0L) >= generation;
    }

    private static int count(@Nullable Integer replicas) {
        return Objects.requireNonNullElse(replicas, 0);
    }
}
