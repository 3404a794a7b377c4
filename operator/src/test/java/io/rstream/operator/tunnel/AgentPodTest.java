package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentPodTest {

    @Test
    void keepsLittleOfAPodAndSeesTheSameInIt() {
        var pod = pod("{phase: Running, podIP: 10.0.0.1, conditions: [{type: Ready, status: 'True'}, {type: Other}],"
                + " containerStatuses: [{name: agent, state: {running: {startedAt: '2026-01-02T03:04:05Z'}}}]}");

        var bare = AgentPods.bare(pod);

        assertThat(AgentPod.of(bare)).isEqualTo(AgentPod.of(pod));
        assertThat(AgentPod.of(bare)).isEqualTo(new AgentPod("a", "node-1", "abc", true, false, true, false, null));
        assertThat(Samples.YAML.asYaml(bare))
                .doesNotContain("10.0.0.1", "kubelet", "note", "args", "Other", "x: \"y\"");
    }

    @ParameterizedTest
    @CsvSource({"2026-01-02T03:04:05Z, true", "2026-01-02T03:04:06Z, true", "2026-01-02T03:04:04Z, false"})
    void tellsAPodThatHasJustBeenStartedFromOneThatIsNotReadyAnyMore(String started, boolean starting) {
        var pod = pod("{conditions: [{type: Ready, status: 'False', lastTransitionTime: '2026-01-02T03:04:05Z'}],"
                + " containerStatuses: [{name: agent, state: {running: {startedAt: '%s'}}}]}".formatted(started));

        assertThat(AgentPod.of(pod).starting()).isEqualTo(starting);
        assertThat(AgentPod.of(pod).trouble()).isNull();
    }

    @Test
    void seesThatAPodIsBeingDeleted() {
        var pod = pod("{phase: Running}");
        pod.getMetadata().setDeletionTimestamp("2026-01-02T03:04:05Z");

        assertThat(AgentPod.of(AgentPods.bare(pod)).terminating()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "containerStatuses: [{name: agent, state: {waiting: {reason: ImagePullBackOff, message: 'Back-off pulling image.'}}}]"
                        + "|cannot start: ImagePullBackOff, image \"reg.example.com/agent:9\": Back-off pulling image. Check"
                        + " spec.agent.image",
                "containerStatuses: [{name: agent, state: {waiting: {reason: ErrImagePull}}}]"
                        + "|cannot start: ErrImagePull, image \"reg.example.com/agent:9\". Check spec.agent.image",
                "containerStatuses: [{name: agent, state: {waiting: {reason: CreateContainerConfigError, message: 'secret"
                        + " \"t\" not found'}}}]|cannot start: CreateContainerConfigError: secret \"t\" not found. Check the"
                        + " Secrets",
                "containerStatuses: [{name: agent, state: {waiting: {reason: CrashLoopBackOff, message: 'back-off 40s'}},"
                        + " lastState: {terminated: {exitCode: 3, reason: Error, message: 'token=hush'}}}]"
                        + "|ends again and again, last with exit code 3. Its log says why: kubectl logs --previous -n demo a.",
                "containerStatuses: [{name: agent, state: {terminated: {exitCode: 3, reason: Error}}}]"
                        + "|ends again and again, last with exit code 3.",
                "containerStatuses: [{name: agent, state: {waiting: {reason: CrashLoopBackOff}},"
                        + " lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}]"
                        + "|was killed for want of memory. Raise spec.agent.resources.limits.memory.",
                "conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/3 nodes are available.'}]"
                        + "|fits on no node: 0/3 nodes are available. Free capacity",
                "phase: Failed, reason: Evicted|was stopped by its node: Evicted. Look at the node",
            })
    @Tag("parity-134")
    void saysWhyAPodDoesNotStart(String status, String trouble) {
        var agent = AgentPod.of(AgentPods.bare(pod("{" + status + "}")));

        assertThat(agent.trouble())
                .startsWith("Pod \"a\" on node \"node-1\" ")
                .contains(trouble)
                .endsWith(".")
                .doesNotContain("hush", "back-off 40s");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "phase: Pending",
                "containerStatuses: [{name: agent, state: {waiting: {reason: ContainerCreating}}}]",
                "containerStatuses: [{name: agent, state: {terminated: {exitCode: 0, reason: Completed}}}]",
                "containerStatuses: [{name: agent, state: {running: {}}, lastState: {terminated: {exitCode: 1}}}]",
                "containerStatuses: [{name: sidecar, state: {waiting: {reason: ImagePullBackOff}}}]",
            })
    void seesNoTroubleInAPodOnItsWay(String status) {
        assertThat(AgentPod.of(pod("{" + status + "}")).trouble()).isNull();
    }

    private static Pod pod(String status) {
        return Samples.YAML.unmarshal("""
            metadata:
              {name: a, namespace: demo, uid: u, labels: {rstream.io/tunnel-name: web, rstream.io/tunnel-uid: t, x: y},
               annotations: {rstream.io/config-hash: abc, note: long}, managedFields: [{manager: kubelet}]}
            spec: {nodeName: node-1, containers: [{name: agent, image: 'reg.example.com/agent:9', args: [x]}]}
            status: %s
            """.formatted(status), Pod.class);
    }
}
