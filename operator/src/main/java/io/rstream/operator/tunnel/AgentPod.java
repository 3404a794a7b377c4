package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateRunning;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the operator looks at of an agent's pod.
 *
 * @param name name of the pod
 * @param node node that it runs on, or null while it has none
 * @param configHash hash of the configuration that it was made for, or null if its annotation is gone
 * @param ready whether it is ready, which says that its tunnel is open
 * @param starting whether it runs and has not been ready since it was started
 * @param running whether the agent's process runs
 * @param terminating whether it is being deleted
 * @param trouble why it does not start, in words with what to do; null if nothing stands in its way
 */
record AgentPod(
        String name,
        @Nullable String node,
        @Nullable String configHash,
        boolean ready,
        boolean starting,
        boolean running,
        boolean terminating,
        @Nullable String trouble) {

    static final String CONTAINER = "agent";

    /** Looks at a pod, be it a whole one or {@linkplain AgentPods#bare a bare copy}. */
    static AgentPod of(Pod pod) {
        var metadata = pod.getMetadata();
        var annotations = metadata.getAnnotations();
        var ready = condition(pod, "Ready");
        var isReady =
                ready.filter(condition -> "True".equals(condition.getStatus())).isPresent();
        var running = container(pod).map(ContainerStatus::getState).map(state -> state.getRunning());
        return new AgentPod(
                metadata.getName(),
                pod.getSpec() == null ? null : pod.getSpec().getNodeName(),
                annotations == null ? null : annotations.get(WellKnown.ANNOTATION_CONFIG_HASH),
                isReady,
                !isReady && running.isPresent() && neverReady(ready, running.get()),
                running.isPresent(),
                metadata.getDeletionTimestamp() != null,
                isReady ? null : PodTrouble.of(pod).orElse(null));
    }

    boolean isFor(String hash) {
        return configHash == null || configHash.equals(hash);
    }

    /** {@code pod "name" on node "node"}. */
    String title() {
        return node == null ? "pod \"%s\"".formatted(name) : "pod \"%s\" on node \"%s\"".formatted(name, node);
    }

    static Optional<PodCondition> condition(Pod pod, String type) {
        return pod.getStatus() == null
                ? Optional.empty()
                : list(pod.getStatus().getConditions()).stream()
                        .filter(condition -> type.equals(condition.getType()))
                        .findFirst();
    }

    static Optional<ContainerStatus> container(Pod pod) {
        return pod.getStatus() == null
                ? Optional.empty()
                : list(pod.getStatus().getContainerStatuses()).stream()
                        .filter(status -> CONTAINER.equals(status.getName()))
                        .findFirst();
    }

    static Optional<String> image(Pod pod) {
        return pod.getSpec() == null
                ? Optional.empty()
                : list(pod.getSpec().getContainers()).stream()
                        .filter(container -> CONTAINER.equals(container.getName()))
                        .map(Container::getImage)
                        .filter(Objects::nonNull)
                        .findFirst();
    }

    /** Not ready since before the process was started; both times are of one clock, in one form, and compare as text. */
    private static boolean neverReady(Optional<PodCondition> ready, ContainerStateRunning running) {
        var since = ready.map(PodCondition::getLastTransitionTime).orElse(null);
        return since == null
                || running.getStartedAt() == null
                || running.getStartedAt().compareTo(since) >= 0;
    }

    private static <T> List<T> list(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
