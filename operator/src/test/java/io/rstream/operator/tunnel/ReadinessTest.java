package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.AgentReport;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.NextAgent;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import io.rstream.operator.tunnel.children.AgentCredentials;
import io.rstream.operator.tunnel.children.AgentWorkload;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a tunnel says for each thing that an agent may have reported and its pod may be. */
class ReadinessTest {

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
            null,
            "web.demo.svc:8080");
    private static final String WANTED = PLAN.workload().configHash();
    private static final AgentPod READY = pod("a", true, false, true);
    private static final AgentPod STARTING = pod("b", false, true, true);
    private static final AgentPod UNREADY = pod("a", false, false, true);

    @ParameterizedTest
    @EnumSource(AgentRollout.class)
    @Tag("parity-132")
    void isReadyWithAReportOfTheWantedConfigurationFromAReadyPod(AgentRollout rollout) {
        var readiness = judge(online("a", WANTED, null), rollout, READY);

        assertThat(readiness).isEqualTo(new Readiness(Reason.READY, "Tunnel is ready.", null));
    }

    @Test
    @Tag("parity-132")
    void isNotReadyWhileThePreviousConfigurationIsServed() {
        var readiness = judge(online("a", "0000", null), AgentRollout.AVAILABLE, READY);

        assertThat(readiness.reason()).isEqualTo(Reason.WAITING_FOR_DEPLOYMENT);
        assertThat(readiness.message())
                .isEqualTo("Waiting for the tunnel agent Deployment to become available."
                        + " Pod \"a\" serves the previous configuration until then.");
    }

    @Test
    @Tag("parity-132")
    void saysWhyTheNextAgentDoesNotTakeOver() {
        var status = online("a", "0000", null).toBuilder()
                .nextAgent(new NextAgent("b", WANTED, "engine error 1004: no", false))
                .build();

        var readiness = judge(status, AgentRollout.NOT_STARTED, READY, STARTING);

        assertThat(readiness.message()).endsWith(" Last error of the agent: engine error 1004: no");
        assertThat(readiness.error()).isEqualTo("engine error 1004: no");
    }

    @Test
    @Tag("parity-132")
    void saysThatTheNextAgentsPodCannotStart() {
        var next = new AgentPod("b", null, WANTED, false, false, false, false, "Pod \"b\" cannot start. Do it.");

        var readiness = judge(online("a", "0000", null), AgentRollout.NOT_READY, READY, next);

        assertThat(readiness.reason()).isEqualTo(Reason.DEPLOYMENT_FAILED);
        assertThat(readiness.message())
                .isEqualTo("Pod \"b\" cannot start. Do it. Pod \"a\" serves the previous configuration until then.");
    }

    @Test
    @Tag("parity-130")
    void blamesThePodAndItsNodeWhenItIsNotReadyAnyMore() {
        var readiness = judge(online("a", WANTED, null), AgentRollout.NOT_READY, UNREADY);

        assertThat(readiness.reason()).isEqualTo(Reason.AGENT_UNREACHABLE);
        assertThat(readiness.message())
                .isEqualTo(
                        "The agent's pod \"a\" on node \"node-1\" is not ready, although it had an open tunnel. Look at"
                                + " the agent's pod and its node; a new pod takes over as soon as one can run.");
    }

    @Test
    void waitsForTheFirstProbeOfAPodThatIsOnlineAlready() {
        var readiness = judge(online("b", WANTED, null), AgentRollout.NOT_READY, STARTING);

        assertThat(readiness.reason()).isEqualTo(Reason.WAITING_FOR_DEPLOYMENT);
        assertThat(readiness.error()).isNull();
    }

    @Test
    void staysReadyWhileANewPodTakesOverFromOneOfTheSameConfiguration() {
        var readiness = judge(online("b", WANTED, null), AgentRollout.NOT_STARTED, READY, STARTING);

        assertThat(readiness.isReady()).isTrue();
    }

    @Test
    @Tag("parity-130")
    void saysThatThePodIsGoneUntilAnotherAgentSpeaks() {
        var lost = new AgentState(AgentRollout.NOT_READY, null, List.of(), "a");

        var readiness = Readiness.of(RstreamTunnelStatus.empty(), PLAN, lost);
        var later = Readiness.of(afterwards(readiness), PLAN, rollout(AgentRollout.NOT_READY, STARTING));
        var connecting = afterwards(readiness).toBuilder()
                .conditions(List.of(said(Status.FALSE, Reason.TUNNEL_CONNECTING, "Tunnel agent is connecting.")))
                .agent(new AgentReport("b", 1L, WANTED, null))
                .build();
        var last = Readiness.of(connecting, PLAN, rollout(AgentRollout.NOT_READY, STARTING));

        assertThat(readiness.reason()).isEqualTo(Reason.AGENT_UNREACHABLE);
        assertThat(readiness.message()).startsWith("The agent's pod \"a\", which had an open tunnel, is gone. ");
        assertThat(later).isEqualTo(readiness);
        assertThat(last.reason()).isEqualTo(Reason.WAITING_FOR_TUNNEL);
    }

    @Test
    void blamesTheTargetThatTheAgentCannotReach() {
        var readiness = judge(online("a", WANTED, "connection refused"), AgentRollout.AVAILABLE, READY);

        assertThat(readiness.reason()).isEqualTo(Reason.TARGET_UNREACHABLE);
        assertThat(readiness.message())
                .startsWith("The tunnel is open and the agent cannot reach the Service at web.demo.svc:8080:"
                        + " connection refused. Check that the Service has ready endpoints");
        assertThat(readiness.error()).isEqualTo("connection refused");
    }

    @Test
    @Tag("parity-134")
    void blamesTheEngineWhenThePodRunsAndItsTunnelIsDown() {
        var status = reported("a", WANTED, said(Status.FALSE, Reason.TUNNEL_DISCONNECTED, "connection reset"));

        var readiness = judge(status, AgentRollout.NOT_READY, UNREADY);

        assertThat(readiness.reason()).isEqualTo(Reason.WAITING_FOR_TUNNEL);
        assertThat(readiness.message())
                .isEqualTo("Waiting for the rstream tunnel to reconnect. Last error of the agent: connection reset");
        assertThat(readiness.error()).isEqualTo("connection reset");
    }

    @Test
    @Tag("parity-134")
    void blamesThePodWhenItCannotStart() {
        var broken = new AgentPod("a", null, WANTED, false, false, false, false, "Pod \"a\" cannot start. Do it.");

        var readiness = judge(RstreamTunnelStatus.empty(), AgentRollout.NOT_READY, broken);

        assertThat(readiness)
                .isEqualTo(new Readiness(
                        Reason.DEPLOYMENT_FAILED, "Pod \"a\" cannot start. Do it.", "Pod \"a\" cannot start. Do it."));
    }

    @Test
    void saysWhatRefusesThePod() {
        var refused = AgentState.of(
                Samples.YAML.unmarshal("""
                        metadata: {generation: 1}
                        status: {conditions: [{type: ReplicaFailure, status: "True", message: 'pods "web-x7k2p" is \
                        forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1'}]}
                        """, io.fabric8.kubernetes.api.model.apps.Deployment.class), List.of(), null);

        var readiness = Readiness.of(RstreamTunnelStatus.empty(), PLAN, refused);

        assertThat(readiness.reason()).isEqualTo(Reason.DEPLOYMENT_FAILED);
        assertThat(readiness.message())
                .isEqualTo(
                        "The agent's pod cannot be created: it is forbidden: exceeded quota: few, requested: pods=1, used:"
                                + " pods=1, limited: pods=1. Make room in the quota of the namespace, or change what refuses the"
                                + " pod.");
    }

    @Test
    @Tag("parity-125")
    void judgesAnAgentOfEarlierVersionsByItsDeployment() {
        var status = RstreamTunnelStatus.builder()
                .conditions(List.of(said(Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.")))
                .build();

        assertThat(judge(status, AgentRollout.AVAILABLE).isReady()).isTrue();
        assertThat(judge(status, AgentRollout.NOT_READY).isReady()).isFalse();
    }

    @Test
    void judgesAnAgentThatRunsByHandByItsConfigurationToo() {
        assertThat(judge(online("", WANTED, null), AgentRollout.AVAILABLE).isReady())
                .isTrue();
        assertThat(judge(online("", "0000", null), AgentRollout.AVAILABLE).isReady())
                .isFalse();
    }

    @Test
    void believesNoReportOfAPodThatNobodyKnows() {
        assertThat(judge(online("z", WANTED, null), AgentRollout.NOT_READY, READY)
                        .reason())
                .isEqualTo(Reason.WAITING_FOR_DEPLOYMENT);
    }

    private static Readiness judge(RstreamTunnelStatus status, AgentRollout rollout, AgentPod... pods) {
        return Readiness.of(status, PLAN, rollout(rollout, pods));
    }

    private static AgentState rollout(AgentRollout rollout, AgentPod... pods) {
        return new AgentState(rollout, null, List.of(pods), null);
    }

    private static AgentPod pod(String name, boolean ready, boolean starting, boolean running) {
        return new AgentPod(name, "node-1", WANTED, ready, starting, running, false, null);
    }

    private static RstreamTunnelStatus online(String pod, String hash, String targetError) {
        return reported(pod, hash, said(Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.")).toBuilder()
                .agent(new AgentReport(pod, 1L, hash, targetError))
                .build();
    }

    private static RstreamTunnelStatus reported(String pod, String hash, Condition tunnelReady) {
        return RstreamTunnelStatus.builder()
                .conditions(List.of(tunnelReady))
                .agent(new AgentReport(pod, 1L, hash, null))
                .build();
    }

    private static RstreamTunnelStatus afterwards(Readiness readiness) {
        return RstreamTunnelStatus.builder()
                .conditions(List.of(new Condition(
                        ConditionType.READY.code(),
                        Status.FALSE,
                        readiness.reason().code(),
                        readiness.message(),
                        Instant.EPOCH,
                        1L)))
                .lastError(readiness.error())
                .build();
    }

    private static Condition said(Status status, Reason reason, String message) {
        return new Condition(ConditionType.TUNNEL_READY.code(), status, reason.code(), message, Instant.EPOCH, 1L);
    }
}
