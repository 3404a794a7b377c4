package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import io.rstream.operator.tunnel.children.AgentCredentials;
import io.rstream.operator.tunnel.children.AgentWorkload;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TunnelConditionsTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Instant LATER = NOW.plusSeconds(60);
    private static final TunnelPlan.Ready PLAN = new TunnelPlan.Ready(
            new AgentWorkload(
                    "demo",
                    "web",
                    "uid-1",
                    "rstream-web-50c45a43",
                    "rstream-web-50c45a43-config",
                    "",
                    "agent:1",
                    AgentCredentials.NONE,
                    List.of(),
                    new AgentReplacement(AgentReplacement.ROLLING_UPDATE, "edge.example.com:443"),
                    null),
            "demo-web",
            "shop.example.org",
            "web.demo.svc:8080");
    private static final TunnelPlan.Blocked SECRET_MISSING =
            new TunnelPlan.Blocked(Reason.SECRET_MISSING, "secret \"a\" was not found");

    private final RstreamTunnel tunnel = Samples.web("{target: {service: {name: web, port: 8080}}}");

    @Test
    @Tag("parity-90")
    @Tag("parity-91")
    @Tag("parity-94")
    @Tag("parity-95")
    void reportsANewTunnel() {
        var status = TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.NOT_STARTED), NOW);

        assertThat(status.conditions())
                .containsExactly(
                        condition(ConditionType.ACCEPTED, Status.TRUE, Reason.ACCEPTED, "Tunnel spec is accepted."),
                        condition(
                                ConditionType.RESOLVED,
                                Status.TRUE,
                                Reason.RESOLVED,
                                "Kubernetes target and rstream connection are resolved."),
                        condition(
                                ConditionType.AGENT_READY,
                                Status.FALSE,
                                Reason.DEPLOYMENT_PENDING,
                                "Tunnel agent Deployment is not available yet."),
                        condition(
                                ConditionType.TUNNEL_READY,
                                Status.FALSE,
                                Reason.TUNNEL_CONNECTING,
                                "Tunnel agent has not reported readiness yet."),
                        condition(
                                ConditionType.READY,
                                Status.FALSE,
                                Reason.WAITING_FOR_DEPLOYMENT,
                                "Waiting for the tunnel agent Deployment to become available."));
        assertThat(status.agentDeployment()).isEqualTo("rstream-web-50c45a43");
        assertThat(status.target()).isEqualTo("web.demo.svc:8080");
        assertThat(status.rstreamName()).isEqualTo("demo-web");
        assertThat(status.hostname()).isEqualTo("shop.example.org");
        assertThat(status.observedGeneration()).isEqualTo(1);
        assertThat(status.lastError()).isNull();
        assertThat(status.agentConfigHash()).isEqualTo(PLAN.workload().configHash());
        assertThat(status.agentReplacement())
                .isEqualTo(new AgentReplacement(AgentReplacement.ROLLING_UPDATE, "edge.example.com:443"));
    }

    @Test
    @Tag("parity-92")
    void waitsForTheTunnelOfAnAvailableAgent() {
        var status = TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW);

        assertThat(status.conditions())
                .contains(
                        condition(
                                ConditionType.AGENT_READY,
                                Status.TRUE,
                                Reason.DEPLOYMENT_AVAILABLE,
                                "Tunnel agent Deployment is available."),
                        condition(
                                ConditionType.READY,
                                Status.FALSE,
                                Reason.WAITING_FOR_TUNNEL,
                                "Waiting for the rstream tunnel to become ready."));
    }

    @Test
    @Tag("parity-93")
    void isReadyWithAnAvailableAgentThatIsOnline() {
        agentSays(Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");

        var status = TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW);

        assertThat(status.conditions())
                .contains(condition(ConditionType.READY, Status.TRUE, Reason.READY, "Tunnel is ready."));
        assertThat(Conditions.find(status.conditions(), ConditionType.TUNNEL_READY))
                .isEmpty();
    }

    @Test
    @Tag("parity-132")
    void isNotReadyWhileAnotherPodRollsOut() {
        agentSays(Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");

        var status = TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.NOT_STARTED), NOW);

        assertThat(Conditions.isTrue(status.conditions(), ConditionType.READY)).isFalse();
    }

    @Test
    @Tag("parity-131")
    @Tag("parity-134")
    void keepsTheAgentsErrorUntilTheTunnelIsUpAgain() {
        agentSays(Status.FALSE, Reason.TUNNEL_DISCONNECTED, "engine error 1000: who are you");
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.NOT_READY), NOW));
        assertThat(tunnel.observed().lastError()).isEqualTo("engine error 1000: who are you");
        assertThat(ready().message())
                .isEqualTo(
                        "Waiting for the tunnel agent Deployment to become available. Last error of the agent: engine"
                                + " error 1000: who are you");

        agentSays(Status.FALSE, Reason.TUNNEL_CONNECTING, "Tunnel agent is connecting to rstream.");
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.NOT_READY), NOW));
        assertThat(tunnel.observed().lastError()).isEqualTo("engine error 1000: who are you");

        agentSays(Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW));
        assertThat(tunnel.observed().lastError()).isNull();
        assertThat(ready().status()).isEqualTo(Status.TRUE);
    }

    @Test
    @Tag("parity-131")
    void takesTheEndOfTheOldPodInARolloutForNoError() {
        agentSays(Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW));

        for (var rollout : List.of(AgentRollout.NOT_STARTED, AgentRollout.NOT_READY, AgentRollout.AVAILABLE)) {
            agentSays(Status.FALSE, Reason.TUNNEL_STOPPED, "Tunnel agent has stopped.");
            report(TunnelConditions.planned(tunnel, PLAN, rollout(rollout), NOW));

            assertThat(ready().status()).isEqualTo(Status.FALSE);
            assertThat(ready().message()).doesNotContain("Last error").doesNotContain("stopped");
            assertThat(tunnel.observed().lastError()).isNull();
        }
    }

    @Test
    @Tag("parity-134")
    void saysThatAnAvailableAgentReconnects() {
        agentSays(Status.FALSE, Reason.TUNNEL_DISCONNECTED, "connection reset");

        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW));

        assertThat(ready().reason()).isEqualTo("WaitingForTunnel");
        assertThat(ready().message())
                .isEqualTo("Waiting for the rstream tunnel to reconnect. Last error of the agent: connection reset");
    }

    @Test
    @Tag("parity-46")
    @Tag("parity-127")
    @Tag("parity-133")
    void isResolvedFalseAndNotReadyWhenAReferenceIsMissingThoughTheAgentIsOnline() {
        agentSays(Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW));

        report(TunnelConditions.blocked(tunnel, SECRET_MISSING, LATER));

        assertThat(find(ConditionType.ACCEPTED).status()).isEqualTo(Status.TRUE);
        assertThat(find(ConditionType.RESOLVED).status()).isEqualTo(Status.FALSE);
        assertThat(find(ConditionType.RESOLVED).reason()).isEqualTo("SecretMissing");
        assertThat(find(ConditionType.AGENT_READY).status()).isEqualTo(Status.TRUE);
        assertThat(ready().status()).isEqualTo(Status.FALSE);
        assertThat(ready().reason()).isEqualTo("SecretMissing");
        assertThat(ready().message())
                .isEqualTo("secret \"a\" was not found. Create the Secret with that key in the namespace of the"
                        + " RstreamConnection, or correct the reference.");
        assertThat(tunnel.observed().lastError()).isEqualTo("secret \"a\" was not found");
        assertThat(tunnel.observed().target()).isEqualTo("web.demo.svc:8080");
        assertThat(tunnel.observed().hostname()).isEqualTo("shop.example.org");
    }

    @Test
    @Tag("parity-90")
    void refusesAnInvalidSpecWithoutTouchingResolved() {
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW));

        report(TunnelConditions.blocked(tunnel, new TunnelPlan.Blocked(Reason.INVALID_SPEC, "no"), LATER));

        assertThat(find(ConditionType.ACCEPTED).status()).isEqualTo(Status.FALSE);
        assertThat(find(ConditionType.RESOLVED).status()).isEqualTo(Status.TRUE);
        assertThat(ready().reason()).isEqualTo("InvalidSpec");
    }

    @Test
    @Tag("parity-132")
    void namesNoConfigurationWhileTheSpecAsksForNone() {
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW));

        report(TunnelConditions.blocked(tunnel, SECRET_MISSING, LATER));

        assertThat(tunnel.observed().agentConfigHash()).isNull();
        assertThat(tunnel.observed().agentReplacement()).isNotNull();
    }

    @Test
    @Tag("parity-130")
    void standsInForAnAgentWhosePodIsGoneWhileTheTunnelIsBlocked() {
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW));
        tunnel.setStatus(tunnel.observed().toBuilder()
                .conditions(tunnel.observed().conditions().stream()
                        .filter(condition -> !condition.is(ConditionType.TUNNEL_READY))
                        .toList())
                .build());

        report(TunnelConditions.blocked(tunnel, SECRET_MISSING, LATER));

        assertThat(find(ConditionType.TUNNEL_READY).message()).isEqualTo(TunnelConditions.NO_REPORT);
    }

    @Test
    void forgetsTheErrorOfABlockOnceItIsGone() {
        report(TunnelConditions.blocked(tunnel, SECRET_MISSING, NOW));

        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.NOT_STARTED), NOW));

        assertThat(tunnel.observed().lastError()).isNull();
    }

    @Test
    @Tag("parity-41")
    @Tag("parity-89")
    void givesTheSameStatusAgainWhenNothingHappened() {
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.NOT_STARTED), NOW));

        var again = TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.NOT_STARTED), LATER);

        assertThat(again).isEqualTo(TunnelConditions.owned(tunnel.observed()));
    }

    @Test
    @Tag("parity-97")
    void saysThatATunnelIsBeingDeleted() {
        report(TunnelConditions.planned(tunnel, PLAN, rollout(AgentRollout.AVAILABLE), NOW));

        report(TunnelConditions.finalizing(tunnel, LATER));

        assertThat(ready())
                .isEqualTo(condition(
                        ConditionType.READY, Status.FALSE, Reason.FINALIZING, "Deleting managed tunnel resources."));
        assertThat(find(ConditionType.ACCEPTED).status()).isEqualTo(Status.TRUE);
        assertThat(tunnel.observed().agentDeployment()).isEqualTo("rstream-web-50c45a43");
    }

    @Test
    void namesTheChildThatTheApiServerRefuses() {
        report(TunnelConditions.refused(tunnel, PLAN, "Deployment \"x\" cannot be applied: no", NOW));

        assertThat(ready().reason()).isEqualTo("DeploymentFailed");
        assertThat(find(ConditionType.AGENT_READY).message()).startsWith("Deployment \"x\" cannot be applied: no. ");
    }

    private static AgentState rollout(AgentRollout rollout) {
        return new AgentState(rollout, null, List.of(), null);
    }

    private Condition condition(ConditionType type, Status status, Reason reason, String message) {
        return new Condition(type.code(), status, reason.code(), message, NOW, 1L);
    }

    private Condition find(ConditionType type) {
        return Conditions.find(tunnel.observed().conditions(), type).orElseThrow();
    }

    private Condition ready() {
        return find(ConditionType.READY);
    }

    private void agentSays(Status status, Reason reason, String message) {
        var mine = tunnel.observed();
        tunnel.setStatus(mine.toBuilder()
                .conditions(Conditions.put(
                        mine.conditions(), condition(ConditionType.TUNNEL_READY, status, reason, message)))
                .tunnelID("id-1")
                .build());
    }

    /** Applies the operator's part as the API server would: the agent's condition stays. */
    private void report(RstreamTunnelStatus status) {
        var agents = Conditions.find(tunnel.observed().conditions(), ConditionType.TUNNEL_READY)
                .filter(condition -> !condition.message().equals(TunnelConditions.NO_REPORT));
        var conditions = agents.map(condition -> Conditions.put(status.conditions(), condition))
                .orElse(status.conditions());
        tunnel.setStatus(status.toBuilder()
                .conditions(conditions)
                .tunnelID(tunnel.observed().tunnelID())
                .build());
    }
}
