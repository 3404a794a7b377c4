package io.rstream.operator.tunnel;

import static io.rstream.api.v1alpha1.ConditionType.ACCEPTED;
import static io.rstream.api.v1alpha1.ConditionType.AGENT_READY;
import static io.rstream.api.v1alpha1.ConditionType.READY;
import static io.rstream.api.v1alpha1.ConditionType.RESOLVED;
import static io.rstream.api.v1alpha1.ConditionType.TUNNEL_READY;

import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pure: the operator's part of a tunnel's status (operator reference, section 3.11). Each answer is the whole of what the
 * operator owns, since server-side apply drops what is left out; conditions that an outcome says nothing about are
 * carried over. TunnelReady is the agent's: the operator only stands in until an agent has spoken.
 */
final class TunnelConditions {

    static final String NO_REPORT = "Tunnel agent has not reported readiness yet.";

    private static final String PENDING = "Tunnel agent Deployment is not available yet.";

    /** The order in which the operator writes its conditions, so that equal statuses are equal. */
    private static final List<ConditionType> ORDER = List.of(ACCEPTED, RESOLVED, AGENT_READY, TUNNEL_READY, READY);

    private final RstreamTunnelStatus present;
    private final long generation;
    private final Instant now;

    private TunnelConditions(RstreamTunnel tunnel, Instant now) {
        this.present = tunnel.observed();
        this.generation = Objects.requireNonNullElse(tunnel.getMetadata().getGeneration(), 0L);
        this.now = now;
    }

    /** The status of a tunnel that cannot go on; a running agent does not make it ready. */
    static RstreamTunnelStatus blocked(RstreamTunnel tunnel, TunnelPlan.Blocked plan, Instant now) {
        return new TunnelConditions(tunnel, now).blocked(plan);
    }

    /**
     * The status of a tunnel whose agent should run.
     *
     * @param agents what the cluster says about the agent
     */
    static RstreamTunnelStatus planned(RstreamTunnel tunnel, TunnelPlan.Ready plan, AgentState agents, Instant now) {
        var conditions = new TunnelConditions(tunnel, now);
        var readiness = Readiness.of(conditions.present, plan, agents);
        return conditions.resolved(
                plan,
                conditions.agentReady(plan, agents),
                conditions.next(READY, Status.of(readiness.isReady()), readiness.reason(), readiness.message()),
                readiness.error());
    }

    /**
     * The status of a tunnel one of whose children the API server refuses.
     *
     * @param message why
     */
    static RstreamTunnelStatus refused(RstreamTunnel tunnel, TunnelPlan.Ready plan, String message, Instant now) {
        var conditions = new TunnelConditions(tunnel, now);
        return conditions.resolved(
                plan,
                conditions.failure(AGENT_READY, Reason.DEPLOYMENT_FAILED, message),
                conditions.failure(READY, Reason.DEPLOYMENT_FAILED, message),
                message);
    }

    /** The status of a tunnel that is being deleted. */
    static RstreamTunnelStatus finalizing(RstreamTunnel tunnel, Instant now) {
        var conditions = new TunnelConditions(tunnel, now);
        var ready = conditions.next(READY, Status.FALSE, Reason.FINALIZING, "Deleting managed tunnel resources.");
        return conditions.keepingFields(List.of(ready), conditions.present.lastError());
    }

    /** What the operator owns of a status, in the form in which it would write it. */
    static RstreamTunnelStatus owned(RstreamTunnelStatus status) {
        return RstreamTunnelStatus.builder()
                .observedGeneration(status.observedGeneration())
                .conditions(sorted(status.conditions().stream().filter(TunnelConditions::isOwned)))
                .rstreamName(emptyToNull(status.rstreamName()))
                .hostname(emptyToNull(status.hostname()))
                .target(emptyToNull(status.target()))
                .agentDeployment(emptyToNull(status.agentDeployment()))
                .lastError(emptyToNull(status.lastError()))
                .agentConfigHash(emptyToNull(status.agentConfigHash()))
                .agentReplacement(status.agentReplacement())
                .build();
    }

    private RstreamTunnelStatus blocked(TunnelPlan.Blocked plan) {
        List<Condition> changed = new ArrayList<>();
        if (plan.reason() == Reason.INVALID_SPEC) {
            changed.add(failure(ACCEPTED, plan.reason(), plan.message()));
        } else {
            changed.add(accepted());
            changed.add(failure(RESOLVED, plan.reason(), plan.message()));
        }
        changed.add(failure(READY, plan.reason(), plan.message()));
        if (present.agentDeployment() != null) {
            standIn().ifPresent(changed::add);
        }
        return keepingFields(changed, plan.message());
    }

    private RstreamTunnelStatus resolved(
            TunnelPlan.Ready plan, Condition agentReady, Condition ready, @Nullable String lastError) {
        var resolved =
                next(RESOLVED, Status.TRUE, Reason.RESOLVED, "Kubernetes target and rstream connection are resolved.");
        var conditions = Stream.concat(Stream.of(accepted(), resolved, agentReady, ready), standIn().stream());
        return RstreamTunnelStatus.builder()
                .observedGeneration(generation)
                .conditions(sorted(conditions))
                .rstreamName(plan.rstreamName())
                .hostname(plan.hostname())
                .target(plan.target())
                .agentDeployment(plan.workload().name())
                .lastError(lastError)
                .agentConfigHash(plan.workload().configHash())
                .agentReplacement(plan.workload().replacement())
                .build();
    }

    /** Without a plan nobody knows which configuration this generation asks for, and no agent may claim to serve it. */
    private RstreamTunnelStatus keepingFields(List<Condition> changed, @Nullable String lastError) {
        var mine = owned(present);
        var conditions = mine.conditions();
        for (var condition : changed) {
            conditions = Conditions.put(conditions, condition);
        }
        return mine.toBuilder()
                .observedGeneration(generation)
                .conditions(sorted(conditions.stream()))
                .lastError(emptyToNull(lastError))
                .agentConfigHash(null)
                .build();
    }

    private Condition accepted() {
        return next(ACCEPTED, Status.TRUE, Reason.ACCEPTED, "Tunnel spec is accepted.");
    }

    private Condition agentReady(TunnelPlan.Ready plan, AgentState agents) {
        if (agents.rollout() == AgentRollout.AVAILABLE) {
            return next(AGENT_READY, Status.TRUE, Reason.DEPLOYMENT_AVAILABLE, "Tunnel agent Deployment is available.");
        }
        var hash = plan.workload().configHash();
        return agents.trouble(hash)
                .map(trouble -> next(AGENT_READY, Status.FALSE, Reason.DEPLOYMENT_FAILED, trouble))
                .orElseGet(() -> next(
                        AGENT_READY,
                        Status.FALSE,
                        Reason.DEPLOYMENT_PENDING,
                        PENDING
                                + agents.unready(hash)
                                        .map(TunnelConditions::runs)
                                        .orElse("")));
    }

    private static String runs(AgentPod pod) {
        return " Pod \"%s\" runs; it gets ready with its tunnel.".formatted(pod.name());
    }

    private Optional<Condition> standIn() {
        return ReportVerdict.report(present).isPresent()
                ? Optional.empty()
                : Optional.of(next(TUNNEL_READY, Status.FALSE, Reason.TUNNEL_CONNECTING, NO_REPORT));
    }

    private Condition failure(ConditionType type, Reason reason, String message) {
        return next(type, Status.FALSE, reason, reason.advise(message));
    }

    private Condition next(ConditionType type, Status status, Reason reason, String message) {
        return Conditions.next(present.conditions(), type, status, reason, message, generation, now);
    }

    private static boolean isOwned(Condition condition) {
        return condition.is(TUNNEL_READY)
                ? condition.message().equals(NO_REPORT)
                : ORDER.stream().anyMatch(condition::is);
    }

    private static List<Condition> sorted(Stream<Condition> conditions) {
        var unordered = conditions.toList();
        return ORDER.stream()
                .flatMap(type -> Conditions.find(unordered, type).stream())
                .toList();
    }

    private static @Nullable String emptyToNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }
}
