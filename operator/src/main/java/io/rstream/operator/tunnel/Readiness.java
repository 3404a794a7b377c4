package io.rstream.operator.tunnel;

import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pure: whether a tunnel whose agent should run is ready, and if not, who is at fault: pod, node, engine or target. The
 * first sentences of the waiting reasons are part of the API (operator reference, section 3.11).
 *
 * @param reason {@link Reason#READY} or what the tunnel waits for
 * @param message the message of the condition
 * @param error the error for {@code lastError}; null without one
 */
record Readiness(Reason reason, String message, @Nullable String error) {

    private static final String WAITING_FOR_DEPLOYMENT = "Waiting for the tunnel agent Deployment to become available.";
    private static final String WAITING_FOR_TUNNEL = "Waiting for the rstream tunnel to become ready.";
    private static final String WAITING_FOR_RECONNECT = "Waiting for the rstream tunnel to reconnect.";
    private static final String LAST_ERROR = " Last error of the agent: ";
    private static final Readiness READY = new Readiness(Reason.READY, "Tunnel is ready.", null);

    boolean isReady() {
        return reason == Reason.READY;
    }

    static Readiness of(RstreamTunnelStatus present, TunnelPlan.Ready plan, AgentState agents) {
        return new Judge(present, plan, agents)
                .judge(ReportVerdict.of(present, plan.workload().configHash(), agents));
    }

    private record Judge(RstreamTunnelStatus present, TunnelPlan.Ready plan, AgentState agents) {

        Readiness judge(ReportVerdict verdict) {
            return switch (verdict) {
                case ReportVerdict.Serving _ -> READY;
                case ReportVerdict.Unnamed _ -> agents.rollout() == AgentRollout.AVAILABLE ? READY : waiting();
                case ReportVerdict.TargetDown down -> targetDown(down.error());
                case ReportVerdict.PodUnready lost -> podUnready(lost.pod());
                case ReportVerdict.Outdated old -> outdated(old.pod());
                case ReportVerdict.Offline offline
                when offline.pod().filter(AgentPod::running).isPresent() -> waitingForTunnel();
                case ReportVerdict.None _ -> silent();
                case ReportVerdict.Starting _ ->
                    new Readiness(Reason.WAITING_FOR_DEPLOYMENT, WAITING_FOR_DEPLOYMENT, null);
                case ReportVerdict.Offline _ -> waiting();
            };
        }

        private Readiness targetDown(String error) {
            return of(
                    Reason.TARGET_UNREACHABLE,
                    "The tunnel is open and the agent cannot reach the Service at %s: %s"
                            .formatted(plan.target(), withoutStop(error)),
                    error);
        }

        private Readiness podUnready(AgentPod pod) {
            var what = "The agent's %s is not ready, although it had an open tunnel".formatted(pod.title());
            return pod.trouble() == null
                    ? of(Reason.AGENT_UNREACHABLE, what, what)
                    : new Readiness(Reason.AGENT_UNREACHABLE, what + ". " + pod.trouble(), what);
        }

        private Readiness outdated(@Nullable String pod) {
            var meanwhile =
                    pod == null ? "" : " Pod \"%s\" serves the previous configuration until then.".formatted(pod);
            var trouble = trouble();
            if (trouble.isPresent()) {
                return new Readiness(Reason.DEPLOYMENT_FAILED, trouble.get() + meanwhile, trouble.get());
            }
            var error = nextAgentError();
            return new Readiness(
                    Reason.WAITING_FOR_DEPLOYMENT,
                    WAITING_FOR_DEPLOYMENT
                            + meanwhile
                            + error.map(LAST_ERROR::concat).orElse(""),
                    error.orElse(null));
        }

        private Readiness silent() {
            if (trouble().isPresent() || agents.isServing(plan.workload().configHash())) {
                return waiting();
            }
            if (agents.lostPod() != null) {
                var what = "The agent's pod \"%s\", which had an open tunnel, is gone".formatted(agents.lostPod());
                return of(Reason.AGENT_UNREACHABLE, what, what);
            }
            return Conditions.find(present.conditions(), ConditionType.READY)
                    .filter(ready -> ready.reason().equals(Reason.AGENT_UNREACHABLE.code()))
                    .map(ready -> new Readiness(Reason.AGENT_UNREACHABLE, ready.message(), present.lastError()))
                    .orElseGet(this::waiting);
        }

        private Readiness waiting() {
            var trouble = trouble();
            if (trouble.isPresent()) {
                return new Readiness(Reason.DEPLOYMENT_FAILED, trouble.get(), trouble.get());
            }
            return switch (agents.rollout()) {
                case AVAILABLE -> waitingForTunnel();
                case NOT_STARTED -> new Readiness(Reason.WAITING_FOR_DEPLOYMENT, WAITING_FOR_DEPLOYMENT, agentError());
                case NOT_READY -> withAgentError(Reason.WAITING_FOR_DEPLOYMENT, WAITING_FOR_DEPLOYMENT);
            };
        }

        /** The pod is as it should be, so the engine is at fault, or what the engine was asked for. */
        private Readiness waitingForTunnel() {
            return withAgentError(
                    Reason.WAITING_FOR_TUNNEL, isDisconnected() ? WAITING_FOR_RECONNECT : WAITING_FOR_TUNNEL);
        }

        private Readiness withAgentError(Reason reason, String message) {
            var error = agentError();
            return new Readiness(reason, error == null ? message : message + LAST_ERROR + error, error);
        }

        private Optional<String> trouble() {
            return agents.trouble(plan.workload().configHash());
        }

        private Optional<String> nextAgentError() {
            var next = present.nextAgent();
            return next == null || !plan.workload().configHash().equals(next.configHash())
                    ? Optional.empty()
                    : Optional.ofNullable(next.error()).filter(error -> !error.isBlank());
        }

        /**
         * The agent's error until its tunnel is up. The agent replaces the error by "connecting" before each attempt, so
         * then the remembered one counts, unless it came from the operator itself.
         */
        private @Nullable String agentError() {
            if (Conditions.isTrue(present.conditions(), ConditionType.TUNNEL_READY)) {
                return null;
            }
            if (isDisconnected()) {
                return ReportVerdict.report(present).map(Condition::message).orElse(null);
            }
            var wasWaiting = Conditions.find(present.conditions(), ConditionType.READY)
                    .filter(ready -> ready.reason().equals(Reason.WAITING_FOR_TUNNEL.code())
                            || ready.reason().equals(Reason.WAITING_FOR_DEPLOYMENT.code()))
                    .isPresent();
            return wasWaiting
                            && present.lastError() != null
                            && !present.lastError().isEmpty()
                    ? present.lastError()
                    : null;
        }

        /** Refused counts as well: any report of an agent whose tunnel is down for a cause that it names. */
        private boolean isDisconnected() {
            return ReportVerdict.report(present)
                    .filter(condition -> condition.status() == Status.FALSE)
                    .filter(condition -> !condition.reason().equals(Reason.TUNNEL_CONNECTING.code())
                            && !condition.reason().equals(Reason.TUNNEL_STOPPED.code()))
                    .isPresent();
        }

        private static Readiness of(Reason reason, String what, String error) {
            return new Readiness(reason, reason.advise(what), error);
        }

        private static String withoutStop(String text) {
            return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        }
    }
}
