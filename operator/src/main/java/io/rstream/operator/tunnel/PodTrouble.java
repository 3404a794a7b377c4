package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Pure: why a pod does not start, in words that end with what to do. What a process wrote before it died is not among
 * them, since it may hold anything.
 */
final class PodTrouble {

    private static final int LONGEST_QUOTE = 400;
    private static final Set<String> IMAGE =
            Set.of("ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError");
    private static final Set<String> ORDINARY = Set.of("ContainerCreating", "PodInitializing");
    private static final Pattern GENERATED_NAME = Pattern.compile("^pods \"[^\"]*\" is ");

    private PodTrouble() {}

    static Optional<String> of(Pod pod) {
        return unschedulable(pod).or(() -> evicted(pod)).or(() -> container(pod));
    }

    /** What keeps the Deployment from making a pod at all, from its condition ReplicaFailure. */
    static String ofCreation(@Nullable String message) {
        var cause =
                message == null ? "" : ": " + GENERATED_NAME.matcher(message).replaceFirst("it is ");
        return "The agent's pod cannot be created%s. Make room in the quota of the namespace, or change what refuses the pod."
                .formatted(quote(cause));
    }

    private static Optional<String> unschedulable(Pod pod) {
        return AgentPod.condition(pod, "PodScheduled")
                .filter(condition ->
                        "False".equals(condition.getStatus()) && "Unschedulable".equals(condition.getReason()))
                .map(condition -> "%s fits on no node%s. Free capacity, or change spec.agent.resources, nodeSelector,"
                                .formatted(subject(pod), cause(condition.getMessage()))
                        + " tolerations or affinity.");
    }

    private static Optional<String> evicted(Pod pod) {
        return Optional.ofNullable(pod.getStatus())
                .filter(status -> "Failed".equals(status.getPhase()) && status.getReason() != null)
                .map(status -> "%s was stopped by its node: %s. Look at the node; a new pod follows."
                        .formatted(subject(pod), status.getReason()));
    }

    /** A process that runs is in no trouble here, whatever became of the one before it. */
    private static Optional<String> container(Pod pod) {
        return AgentPod.container(pod).flatMap(status -> {
            var state = status.getState();
            if (state == null || state.getRunning() != null) {
                return Optional.empty();
            }
            return state.getWaiting() == null
                    ? died(status).map(end -> crash(pod, end))
                    : waiting(pod, status, state.getWaiting());
        });
    }

    private static Optional<String> waiting(Pod pod, ContainerStatus status, ContainerStateWaiting state) {
        if (state.getReason() == null || ORDINARY.contains(state.getReason())) {
            return Optional.empty();
        }
        if (state.getReason().equals("CrashLoopBackOff")) {
            return Optional.of(died(status).map(end -> crash(pod, end)).orElseGet(() -> crash(pod)));
        }
        if (IMAGE.contains(state.getReason())) {
            return Optional.of(
                    "%s cannot start: %s, image \"%s\"%s. Check spec.agent.image, that the node reaches the registry, and"
                                    .formatted(
                                            subject(pod),
                                            state.getReason(),
                                            AgentPod.image(pod).orElse(""),
                                            cause(state.getMessage()))
                            + " spec.agent.imagePullSecrets.");
        }
        return Optional.of("%s cannot start: %s%s. Check the Secrets that the connection refers to, and spec.agent."
                .formatted(subject(pod), state.getReason(), cause(state.getMessage())));
    }

    /** How the process ended, unless that was in good order. */
    private static Optional<ContainerStateTerminated> died(ContainerStatus status) {
        return Optional.ofNullable(status.getState())
                .map(ContainerState::getTerminated)
                .or(() -> Optional.ofNullable(status.getLastState()).map(ContainerState::getTerminated))
                .filter(end -> end.getExitCode() != null && end.getExitCode() != 0);
    }

    private static String crash(Pod pod, ContainerStateTerminated end) {
        if ("OOMKilled".equals(end.getReason())) {
            return "%s was killed for want of memory. Raise spec.agent.resources.limits.memory."
                    .formatted(subject(pod));
        }
        return "%s ends again and again, last with exit code %d. Its log says why: %s"
                .formatted(subject(pod), end.getExitCode(), logCommand(pod));
    }

    private static String crash(Pod pod) {
        return "%s ends again and again. Its log says why: %s".formatted(subject(pod), logCommand(pod));
    }

    private static String logCommand(Pod pod) {
        var metadata = pod.getMetadata();
        return "kubectl logs --previous -n %s %s.".formatted(metadata.getNamespace(), metadata.getName());
    }

    private static String subject(Pod pod) {
        var node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        var name = pod.getMetadata().getName();
        return node == null ? "Pod \"%s\"".formatted(name) : "Pod \"%s\" on node \"%s\"".formatted(name, node);
    }

    private static String cause(@Nullable String message) {
        return message == null || message.isBlank() ? "" : quote(": " + message.strip());
    }

    private static String quote(String text) {
        var line = text.replaceAll("\\s+", " ").replaceAll("\\.+$", "");
        return line.length() <= LONGEST_QUOTE ? line : line.substring(0, LONGEST_QUOTE) + "…";
    }
}
