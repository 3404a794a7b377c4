package io.rstream.operator.tunnel.children;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.SecretKeyRef;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AgentDeploymentTest {

    private static final String CONFIG = "connection: {}\n";

    /** Deliberate difference from parity 76: the reference always recreates. */
    @Test
    @Tag("parity-76")
    void startsTheNewAgentFirstUnlessTheEngineRefusesTwo() {
        var rolling = AgentDeployment.of(workload(AgentCredentials.NONE, AgentReplacement.ROLLING_UPDATE));
        var recreating = AgentDeployment.of(workload(AgentCredentials.NONE, AgentReplacement.RECREATE));

        var strategy = rolling.getSpec().getStrategy();
        assertThat(strategy.getType()).isEqualTo("RollingUpdate");
        assertThat(strategy.getRollingUpdate().getMaxSurge()).isEqualTo(new IntOrString(1));
        assertThat(strategy.getRollingUpdate().getMaxUnavailable()).isEqualTo(new IntOrString(0));
        assertThat(recreating.getSpec().getStrategy().getType()).isEqualTo("Recreate");
        assertThat(recreating.getSpec().getStrategy().getRollingUpdate()).isNull();
    }

    /** Deliberate difference from parity 86: the reference hashes versions of Secrets, too. */
    @Test
    @Tag("parity-86")
    void hashesTheConfigurationAlone() {
        var token = new AgentCredentials(new SecretKeyRef("rstream-token", "token"), null, null, null, null);

        var template = AgentDeployment.of(workload(token, AgentReplacement.ROLLING_UPDATE))
                .getSpec()
                .getTemplate();

        assertThat(template.getMetadata().getAnnotations()).containsEntry("rstream.io/config-hash", "4c7006a0bf94f0e9");
    }

    @Test
    @Tag("parity-145")
    void namesPullSecretsOfAllAgentsOnce() {
        var pod = AgentDeployment.of(workload(AgentCredentials.NONE, AgentReplacement.ROLLING_UPDATE))
                .getSpec()
                .getTemplate()
                .getSpec();

        assertThat(pod.getImagePullSecrets())
                .extracting(LocalObjectReference::getName)
                .containsExactly("one", "two");
    }

    private static AgentWorkload workload(AgentCredentials credentials, String mode) {
        return new AgentWorkload(
                "demo",
                "web",
                "uid-1",
                "rstream-web-1",
                "rstream-web-1-config",
                CONFIG,
                "agent:1",
                credentials,
                List.of("one", "two", "one"),
                new AgentReplacement(mode, "edge.example.com:443"),
                null);
    }
}
