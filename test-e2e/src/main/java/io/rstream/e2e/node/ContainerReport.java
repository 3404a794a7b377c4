package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes what a kubelet would write into the status of a Pod, when it differs from what was written before. */
final class ContainerReport {

    /** What the container is doing. */
    sealed interface State {
        record Waiting(String reason, String message) implements State {}

        record Running(Instant started, boolean ready) implements State {}
    }

    /** How the container ended the last time. */
    record Ended(int exitCode, Instant started, Instant finished) {}

    private final KubernetesClient client;
    private final Pod pod;
    private final Instant created = Instant.now();
    private List<PodCondition> conditions = List.of();
    private @Nullable PodStatus written;

    ContainerReport(KubernetesClient client, Pod pod) {
        this.client = client;
        this.pod = pod;
    }

    void write(State state, int restarts, @Nullable Ended last) {
        var ready = state instanceof State.Running running && running.ready();
        conditions = conditions(ready, state instanceof State.Waiting waiting ? waiting.message() : "");
        var status = new PodStatusBuilder()
                .withPhase(state instanceof State.Running || restarts > 0 ? "Running" : "Pending")
                .withHostIP("127.0.0.1")
                .withPodIP("127.0.0.1")
                .withStartTime(created.toString())
                .withConditions(conditions)
                .withContainerStatuses(container(state, restarts, last))
                .build();
        if (status.equals(written)) {
            return;
        }
        try {
            client.pods()
                    .inNamespace(pod.getMetadata().getNamespace())
                    .withName(pod.getMetadata().getName())
                    .editStatus(current -> {
                        current.setStatus(status);
                        return current;
                    });
            written = status;
        } catch (KubernetesClientException e) {
            if (e.getCode() == 404) {
                return; // Deleted by somebody; the runner notices.
            }
            throw e;
        }
    }

    private ContainerStatus container(State state, int restarts, @Nullable Ended last) {
        var container = pod.getSpec().getContainers().getFirst();
        var status = new ContainerStatusBuilder()
                .withName(container.getName())
                .withImage(container.getImage())
                .withImageID("")
                .withRestartCount(restarts)
                .withReady(state instanceof State.Running running && running.ready())
                .withStarted(state instanceof State.Running);
        switch (state) {
            case State.Waiting waiting ->
                status.withNewState()
                        .withNewWaiting(waiting.message(), waiting.reason())
                        .endState();
            case State.Running running ->
                status.withNewState()
                        .withNewRunning(running.started().toString())
                        .endState();
        }
        if (last != null) {
            status.withNewLastState()
                    .withNewTerminated()
                    .withExitCode(last.exitCode())
                    .withReason(last.exitCode() == 0 ? "Completed" : "Error")
                    .withStartedAt(last.started().toString())
                    .withFinishedAt(last.finished().toString())
                    .endTerminated()
                    .endLastState();
        }
        return status.build();
    }

    private List<PodCondition> conditions(boolean ready, String message) {
        var next = new ArrayList<PodCondition>();
        next.add(condition("PodScheduled", true, ""));
        next.add(condition("Initialized", true, ""));
        next.add(condition("ContainersReady", ready, message));
        next.add(condition("Ready", ready, message));
        return List.copyOf(next);
    }

    private PodCondition condition(String type, boolean holds, String message) {
        var status = holds ? "True" : "False";
        var since = conditions.stream()
                .filter(known ->
                        known.getType().equals(type) && known.getStatus().equals(status))
                .map(PodCondition::getLastTransitionTime)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(() -> Instant.now().toString());
        var builder =
                new PodConditionBuilder().withType(type).withStatus(status).withLastTransitionTime(since);
        if (!holds) {
            builder.withReason("ContainersNotReady").withMessage(message);
        }
        return builder.build();
    }
}
