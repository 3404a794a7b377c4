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

    private static final String WAITING_FOR_DEPLOYMENT = "Waiting for the tunnel agent Deployment to become available.";
    private static final String WAITING_FOR_TUNNEL = "Waiting for the rstream tunnel to become ready.";
    private static final String WAITING_FOR_RECONNECT = "Waiting for the rstream tunnel to reconnect.";
    private static final String LAST_ERROR = " Last error of the agent: ";

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
     * @param rollout how far the agent's Deployment is
     */
    static RstreamTunnelStatus planned(RstreamTunnel tunnel, TunnelPlan.Ready plan, AgentRollout rollout, Instant now) {
        var conditions = new TunnelConditions(tunnel, now);
        return conditions.resolved(
                plan, conditions.agentReady(rollout), conditions.ready(rollout), conditions.agentError());
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
                conditions.next(AGENT_READY, Status.FALSE, Reason.DEPLOYMENT_FAILED, message),
                conditions.next(READY, Status.FALSE, Reason.DEPLOYMENT_FAILED, message),
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
                .build();
    }

    private RstreamTunnelStatus blocked(TunnelPlan.Blocked plan) {
        List<Condition> changed = new ArrayList<>();
        if (plan.reason() == Reason.INVALID_SPEC) {
            changed.add(next(ACCEPTED, Status.FALSE, plan.reason(), plan.message()));
        } else {
            changed.add(accepted());
            changed.add(next(RESOLVED, Status.FALSE, plan.reason(), plan.message()));
        }
        changed.add(next(READY, Status.FALSE, plan.reason(), plan.message()));
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
                .build();
    }

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
                .build();
    }

    private Condition accepted() {
        return next(ACCEPTED, Status.TRUE, Reason.ACCEPTED, "Tunnel spec is accepted.");
    }

    private Condition agentReady(AgentRollout rollout) {
        return rollout == AgentRollout.AVAILABLE
                ? next(AGENT_READY, Status.TRUE, Reason.DEPLOYMENT_AVAILABLE, "Tunnel agent Deployment is available.")
                : next(
                        AGENT_READY,
                        Status.FALSE,
                        Reason.DEPLOYMENT_PENDING,
                        "Tunnel agent Deployment is not available yet.");
    }

    /** The agent's pod is not ready while its tunnel is down, so what the agent says tells the two causes apart. */
    private Condition ready(AgentRollout rollout) {
        return switch (rollout) {
            case NOT_STARTED -> next(READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT, WAITING_FOR_DEPLOYMENT);
            case NOT_READY ->
                next(READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT, withAgentError(WAITING_FOR_DEPLOYMENT));
            case AVAILABLE -> {
                if (Conditions.isTrue(present.conditions(), TUNNEL_READY)) {
                    yield next(READY, Status.TRUE, Reason.READY, "Tunnel is ready.");
                }
                var waiting = isDisconnected() ? WAITING_FOR_RECONNECT : WAITING_FOR_TUNNEL;
                yield next(READY, Status.FALSE, Reason.WAITING_FOR_TUNNEL, withAgentError(waiting));
            }
        };
    }

    private String withAgentError(String message) {
        var error = agentError();
        return error == null ? message : message + LAST_ERROR + error;
    }

    /**
     * The agent's error until its tunnel is up. The agent replaces the error by "connecting" before each attempt, so then
     * the remembered one counts, unless it came from the operator itself.
     */
    private @Nullable String agentError() {
        if (Conditions.isTrue(present.conditions(), TUNNEL_READY)) {
            return null;
        }
        if (isDisconnected()) {
            return tunnelReady().map(Condition::message).orElse(null);
        }
        var wasWaiting = Conditions.find(present.conditions(), READY)
                .filter(ready -> ready.reason().equals(Reason.WAITING_FOR_TUNNEL.code())
                        || ready.reason().equals(Reason.WAITING_FOR_DEPLOYMENT.code()))
                .isPresent();
        return wasWaiting ? emptyToNull(present.lastError()) : null;
    }

    /** Refused counts as well: any report of an agent whose tunnel is down for a cause that it names. */
    private boolean isDisconnected() {
        return tunnelReady()
                .filter(condition -> condition.status() == Status.FALSE)
                .filter(condition -> !condition.reason().equals(Reason.TUNNEL_CONNECTING.code())
                        && !condition.reason().equals(Reason.TUNNEL_STOPPED.code()))
                .isPresent();
    }

    private Optional<Condition> tunnelReady() {
        return Conditions.find(present.conditions(), TUNNEL_READY);
    }

    private Optional<Condition> standIn() {
        var spoken = tunnelReady()
                .filter(condition -> condition.status() != Status.UNKNOWN && !isOwned(condition))
                .isPresent();
        return spoken
                ? Optional.empty()
                : Optional.of(next(TUNNEL_READY, Status.FALSE, Reason.TUNNEL_CONNECTING, NO_REPORT));
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
