package io.rstream.operator.tunnel;

import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pure: what the report of an agent is worth. It counts while the pod that made it exists and is ready, and for the
 * configuration that the agent runs, see docs/decisions/0004.
 */
sealed interface ReportVerdict {

    /** No agent has reported, or its report was withdrawn. */
    record None() implements ReportVerdict {}

    /** The tunnel is open with the wanted configuration. */
    record Serving() implements ReportVerdict {}

    /**
     * The tunnel is open with the wanted configuration, and the Service cannot be reached.
     *
     * @param error why, in the agent's words
     */
    record TargetDown(String error) implements ReportVerdict {}

    /**
     * The tunnel is open with another configuration than the wanted one.
     *
     * @param pod the pod that serves it, if it is ready
     */
    record Outdated(@Nullable String pod) implements ReportVerdict {}

    /** The agent says that its tunnel is open; its pod has only just been started and gets ready in a moment. */
    record Starting() implements ReportVerdict {}

    /**
     * The agent says that its tunnel is open, but its pod, which was ready, is not any more.
     *
     * @param pod the pod
     */
    record PodUnready(AgentPod pod) implements ReportVerdict {}

    /**
     * The agent says itself that its tunnel is not open.
     *
     * @param pod its pod, if it is known
     */
    record Offline(Optional<AgentPod> pod) implements ReportVerdict {}

    /** An agent that names no pod says that the tunnel is open: one of earlier versions, or one that runs by hand. */
    record Unnamed() implements ReportVerdict {}

    /**
     * Judges the present report.
     *
     * @param hash hash of the wanted configuration
     */
    static ReportVerdict of(RstreamTunnelStatus status, String hash, AgentState agents) {
        var said = report(status);
        if (said.isEmpty()) {
            return new None();
        }
        var agent = status.agent();
        var name = agent == null ? "" : orEmpty(agent.pod());
        var pod = agents.pod(name);
        if (said.get().status() != Status.TRUE) {
            return new Offline(pod);
        }
        var outdated = agent != null && !hash.equals(agent.configHash());
        if (name.isEmpty()) {
            return outdated ? new Outdated(null) : new Unnamed();
        }
        if (pod.isEmpty()) {
            return new None();
        }
        if (outdated) {
            return new Outdated(pod.get().ready() ? name : null);
        }
        return current(agent == null ? null : agent.targetError(), pod.get(), hash, agents);
    }

    /** What an agent said, as opposed to what the operator says while none has. */
    static Optional<Condition> report(RstreamTunnelStatus status) {
        return Conditions.find(status.conditions(), ConditionType.TUNNEL_READY)
                .filter(condition -> condition.status() != Status.UNKNOWN)
                .filter(condition -> !condition.message().equals(TunnelConditions.NO_REPORT));
    }

    private static ReportVerdict current(@Nullable String targetError, AgentPod pod, String hash, AgentState agents) {
        if (!pod.ready()) {
            // A new pod takes the report over before its first probe; the one that it replaces is still ready.
            var covered = pod.starting() && agents.isServing(hash);
            if (!covered) {
                return pod.starting() ? new Starting() : new PodUnready(pod);
            }
        }
        return targetError == null || targetError.isBlank() ? new Serving() : new TargetDown(targetError);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
