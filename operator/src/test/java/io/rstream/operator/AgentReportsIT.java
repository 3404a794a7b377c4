package io.rstream.operator;

import static io.rstream.operator.OperatorHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.AgentReport;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.NextAgent;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the operator makes of agents' reports and pods, on a real API server; the test is kubelet and agent. */
class AgentReportsIT {

    private static OperatorHarness harness;

    @BeforeAll
    static void start() throws IOException {
        harness = OperatorHarness.start();
    }

    @AfterAll
    static void stop() {
        harness.close();
    }

    @Test
    @Tag("parity-130")
    @Tag("parity-132")
    void believesAReportWhileItsPodIsReady() {
        var tunnel = harness.complete();
        var pod = serving(tunnel, "web-1");

        harness.podIs(pod, false);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.AGENT_UNREACHABLE);

        assertThat(message(tunnel, ConditionType.READY))
                .startsWith("The agent's pod \"web-1\" on node \"node-1\" is not ready");
        harness.podIs(pod, true);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);
    }

    @Test
    @Tag("parity-128")
    @Tag("parity-130")
    void withdrawsTheReportOfAPodThatIsGone() {
        var tunnel = harness.complete();
        var pod = serving(tunnel, "web-1");

        harness.loses(pod);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.AGENT_UNREACHABLE);
        harness.awaitCondition(tunnel, ConditionType.TUNNEL_READY, Status.FALSE, Reason.TUNNEL_CONNECTING);

        var status = harness.read(tunnel).observed();
        assertThat(status.agent()).isNull();
        assertThat(status.tunnelID()).isNull();
        assertThat(status.forwardingAddress()).isNull();
        assertThat(message(tunnel, ConditionType.READY)).contains("pod \"web-1\", which had an open tunnel, is gone");
        serving(tunnel, "web-2");
    }

    @Test
    @Tag("parity-130")
    @Tag("parity-133")
    void withdrawsTheReportOfALostPodOfABlockedTunnel() {
        var tunnel = harness.complete();
        var pod = serving(tunnel, "web-1");
        harness.client()
                .secrets()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName("rstream-token")
                .delete();
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.SECRET_MISSING);
        assertThat(condition(tunnel, ConditionType.TUNNEL_READY).status()).isEqualTo(Status.TRUE);
        assertThat(harness.read(tunnel).observed().agentConfigHash()).isNull();

        harness.loses(pod);

        harness.awaitCondition(tunnel, ConditionType.TUNNEL_READY, Status.FALSE, Reason.TUNNEL_CONNECTING);
        assertThat(condition(tunnel, ConditionType.READY).reason()).isEqualTo(Reason.SECRET_MISSING.code());
    }

    /** An agent of the incumbent updates the status, ours then applies: both own the condition. */
    @Test
    @Tag("parity-125")
    @Tag("parity-130")
    void withdrawsAReportThatAnEarlierVersionOwnsAPartOf() {
        var tunnel = harness.complete();
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        harness.client().resource(harness.read(tunnel)).editStatus(present -> {
            var status = present.observed();
            var online =
                    new Condition("TunnelReady", Status.TRUE, "TunnelOnline", "Tunnel is online.", Instant.now(), 1L);
            present.setStatus(status.toBuilder()
                    .conditions(Conditions.put(status.conditions(), online))
                    .tunnelID("tunnel-1")
                    .build());
            return present;
        });
        harness.agentReports(
                tunnel, new AgentReport("gone", 1L, "h", null), Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");

        harness.awaitCondition(tunnel, ConditionType.TUNNEL_READY, Status.FALSE, Reason.TUNNEL_CONNECTING);

        assertThat(harness.read(tunnel).observed().tunnelID()).isNull();
        assertThat(harness.read(tunnel).observed().agent()).isNull();
    }

    @Test
    @Tag("parity-130")
    @Tag("parity-132")
    void isReadyForANewSpecOnlyOnceAnAgentServesIt() {
        var tunnel = harness.complete();
        serving(tunnel, "web-1");
        var before = harness.wantedHash(tunnel);

        harness.merge(tunnel, "{\"spec\":{\"publish\":false}}");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);

        assertThat(harness.wantedHash(tunnel)).isNotEqualTo(before);
        assertThat(message(tunnel, ConditionType.READY))
                .endsWith("Pod \"web-1\" serves the previous configuration until then.");
        harness.nextAgentReports(tunnel, new NextAgent("web-2", harness.wantedHash(tunnel), "engine error 1004", null));
        // The next agent's pod does not exist, so its word does not stay either.
        harness.awaitTunnel(tunnel, present -> present.observed().nextAgent() == null);
        serving(tunnel, "web-2");
        assertThat(harness.read(tunnel).observed().agentConfigHash())
                .isEqualTo(harness.deployment(tunnel)
                        .getSpec()
                        .getTemplate()
                        .getMetadata()
                        .getAnnotations()
                        .get(WellKnown.ANNOTATION_CONFIG_HASH));
    }

    @Test
    @Tag("parity-76")
    void letsTheOldAgentGoFirstOnceTheEngineRefusesTheNextOne() {
        var tunnel = harness.complete();
        serving(tunnel, "web-1");
        assertThat(strategy(tunnel)).isEqualTo(AgentReplacement.ROLLING_UPDATE);
        harness.merge(tunnel, "{\"spec\":{\"labels\":{\"a\":\"b\"}}}");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        harness.agentPod(tunnel, "web-2");

        harness.nextAgentReports(tunnel, new NextAgent("web-2", harness.wantedHash(tunnel), "name is in use", true));

        eventually(() -> assertThat(strategy(tunnel)).isEqualTo(AgentReplacement.RECREATE));
        harness.awaitTunnel(
                tunnel,
                present -> new AgentReplacement(AgentReplacement.RECREATE, OperatorHarness.ENGINE)
                        .equals(present.observed().agentReplacement()));
        assertThat(message(tunnel, ConditionType.READY)).endsWith("Last error of the agent: name is in use");
    }

    @Test
    @Tag("parity-134")
    void saysWhetherPodOrEngineIsAtFault() {
        var tunnel = harness.complete();
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        harness.deploymentIsPending(tunnel);
        var pod = harness.agentPod(tunnel, "web-1");

        harness.podStatus(pod, """
                phase: Pending
                containerStatuses:
                - name: agent
                  image: i
                  imageID: ''
                  restartCount: 0
                  ready: false
                  state: {waiting: {reason: ImagePullBackOff, message: Back-off pulling image}}
                """);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.DEPLOYMENT_FAILED);
        harness.awaitCondition(tunnel, ConditionType.AGENT_READY, Status.FALSE, Reason.DEPLOYMENT_FAILED);
        assertThat(message(tunnel, ConditionType.READY))
                .contains("ImagePullBackOff", "\"" + OperatorHarness.IMAGE + "\"", "Check spec.agent.image");

        harness.podIs(pod, false);
        harness.agentReports(
                tunnel,
                new AgentReport("web-1", 1L, harness.wantedHash(tunnel), null),
                Status.FALSE,
                Reason.TUNNEL_DISCONNECTED,
                "connection refused");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_TUNNEL);
        harness.awaitCondition(tunnel, ConditionType.AGENT_READY, Status.FALSE, Reason.DEPLOYMENT_PENDING);
        assertThat(message(tunnel, ConditionType.READY)).endsWith("Last error of the agent: connection refused");
    }

    @Test
    @Tag("parity-136")
    void writesWordsThatChangeAllTheTimeRarelyButTheLastOnesInTheEnd() {
        var tunnel = harness.complete();
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT);
        harness.deploymentIsPending(tunnel);
        var pod = harness.agentPod(tunnel, "web-1");
        unschedulable(pod, 0);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.DEPLOYMENT_FAILED);
        harness.api().forgetCalls();

        for (var free = 1; free <= 30; free++) {
            unschedulable(pod, free);
        }

        eventually(() -> assertThat(message(tunnel, ConditionType.READY)).contains(": 30 nodes are full."));
        assertThat(harness.writes().stream()
                        .filter(call ->
                                call.namespace().equals(tunnel.getMetadata().getNamespace()))
                        .filter(call -> call.resource().equals("rstreamtunnels")))
                .hasSizeBetween(1, 4);
    }

    @Test
    @Tag("parity-150")
    void tellsChangesAsEventsAndCountsThoseThatComeAgain() {
        var tunnel = harness.complete();
        var pod = serving(tunnel, "web-1");
        eventually(() -> assertThat(events(tunnel)).anyMatch(event -> isEvent(event, "Normal", "Ready", 1)));

        harness.podIs(pod, false);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.AGENT_UNREACHABLE);
        harness.podIs(pod, true);
        harness.awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);

        eventually(() -> assertThat(events(tunnel))
                .anyMatch(event -> isEvent(event, "Normal", "Ready", 2))
                .anyMatch(event -> isEvent(event, "Warning", "AgentUnreachable", 1)
                        && event.getMessage().contains("\"node-1\"")
                        && event.getInvolvedObject()
                                .getUid()
                                .equals(tunnel.getMetadata().getUid())
                        && event.getReportingComponent().equals("rstream-operator")));
        assertThat(harness.client().getKubernetesSerialization().asYaml(events(tunnel)))
                .doesNotContain(OperatorHarness.MARKER);
    }

    @Test
    @Tag("parity-150")
    void tellsFailuresOfConnectionsAndTunnelsAsEvents() {
        var namespace = harness.namespace();
        harness.service(namespace);
        harness.connection(namespace);
        var tunnel = harness.tunnel(namespace, "web", "");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.FALSE, Reason.SECRET_MISSING);

        eventually(() -> assertThat(events(tunnel))
                .anyMatch(event -> isEvent(event, "Warning", "SecretMissing", 1)
                        && event.getInvolvedObject().getKind().equals("RstreamTunnel"))
                .anyMatch(event -> isEvent(event, "Warning", "SecretMissing", 1)
                        && event.getInvolvedObject().getKind().equals("RstreamConnection")));
    }

    /** Makes a pod that is ready and an agent in it that is online with the wanted configuration. */
    private static Pod serving(RstreamTunnel tunnel, String name) {
        var hash = harness.wantedHash(tunnel);
        harness.deploymentIsAvailable(tunnel);
        var pod = harness.agentPod(tunnel, name);
        harness.agentReports(
                tunnel, new AgentReport(name, 1L, hash, null), Status.TRUE, Reason.TUNNEL_ONLINE, "Tunnel is online.");
        harness.awaitCondition(tunnel, ConditionType.READY, Status.TRUE, Reason.READY);
        return pod;
    }

    private static void unschedulable(Pod pod, int full) {
        harness.podStatus(pod, """
                phase: Pending
                conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '%d nodes are full.'}]
                """.formatted(full));
    }

    private static boolean isEvent(Event event, String type, String reason, int count) {
        return event.getType().equals(type)
                && event.getReason().equals(reason)
                && event.getCount().equals(count);
    }

    private static List<Event> events(RstreamTunnel tunnel) {
        return harness.client()
                .v1()
                .events()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .list()
                .getItems();
    }

    private static String strategy(RstreamTunnel tunnel) {
        return harness.deployment(tunnel).getSpec().getStrategy().getType();
    }

    private static Condition condition(RstreamTunnel tunnel, ConditionType type) {
        return Conditions.find(harness.read(tunnel).observed().conditions(), type)
                .orElseThrow();
    }

    private static String message(RstreamTunnel tunnel, ConditionType type) {
        return condition(tunnel, type).message();
    }
}
