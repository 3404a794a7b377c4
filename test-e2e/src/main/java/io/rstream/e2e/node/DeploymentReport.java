package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import io.fabric8.kubernetes.api.model.apps.DeploymentConditionBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes what the Deployment controller would write into the status of a Deployment, when it differs. */
final class DeploymentReport {

    private final KubernetesClient client;
    private List<DeploymentCondition> conditions = List.of();
    private @Nullable DeploymentStatus written;

    DeploymentReport(KubernetesClient client) {
        this.client = client;
    }

    void write(Deployment deployment, List<AgentPod> pods, String templateHash) {
        var wanted = deployment.getSpec().getReplicas() == null
                ? 1
                : deployment.getSpec().getReplicas();
        var updated = (int) pods.stream()
                .filter(pod -> pod.templateHash().equals(templateHash))
                .count();
        var ready = (int) pods.stream().filter(AgentPod::ready).count();
        var updatedReady = (int) pods.stream()
                .filter(pod -> pod.templateHash().equals(templateHash) && pod.ready())
                .count();
        conditions = List.of(available(ready >= wanted), progressing(updatedReady >= wanted && pods.size() == wanted));
        var status = new DeploymentStatusBuilder()
                .withObservedGeneration(deployment.getMetadata().getGeneration())
                .withReplicas(pods.size())
                .withUpdatedReplicas(updated)
                .withReadyReplicas(ready)
                .withAvailableReplicas(ready)
                .withUnavailableReplicas(Math.max(0, wanted - ready))
                .withConditions(conditions)
                .build();
        if (status.equals(written)) {
            return;
        }
        try {
            client.apps()
                    .deployments()
                    .inNamespace(deployment.getMetadata().getNamespace())
                    .withName(deployment.getMetadata().getName())
                    .editStatus(current -> {
                        current.setStatus(status);
                        return current;
                    });
            written = status;
        } catch (KubernetesClientException e) {
            if (e.getCode() != 404) {
                throw e;
            }
        }
    }

    private DeploymentCondition available(boolean holds) {
        return holds
                ? condition("Available", true, "MinimumReplicasAvailable", "Deployment has minimum availability.")
                : condition(
                        "Available",
                        false,
                        "MinimumReplicasUnavailable",
                        "Deployment does not have minimum availability.");
    }

    private DeploymentCondition progressing(boolean done) {
        return done
                ? condition("Progressing", true, "NewReplicaSetAvailable", "The newest pods are available.")
                : condition("Progressing", true, "ReplicaSetUpdated", "The newest pods are starting.");
    }

    private DeploymentCondition condition(String type, boolean holds, String reason, String message) {
        var status = holds ? "True" : "False";
        for (var known : conditions) {
            if (known.getType().equals(type)
                    && known.getStatus().equals(status)
                    && known.getReason().equals(reason)) {
                return known;
            }
        }
        var now = Instant.now().toString();
        return new DeploymentConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .withLastUpdateTime(now)
                .withLastTransitionTime(now)
                .build();
    }
}
