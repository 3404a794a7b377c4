package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentRolloutTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1|AVAILABLE",
                "observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1|NOT_STARTED",
                "observedGeneration: 2, replicas: 2, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 2|NOT_STARTED",
                "observedGeneration: 2, replicas: 1, readyReplicas: 1, availableReplicas: 1|NOT_STARTED",
                "observedGeneration: 2, replicas: 1, updatedReplicas: 1|NOT_READY",
                "observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1|NOT_READY",
                "observedGeneration: 2|NOT_STARTED",
            })
    @Tag("parity-132")
    void countsOnlyPodsOfTheNewestSpec(String status, AgentRollout rollout) {
        var deployment =
                Samples.YAML.unmarshal("metadata: {generation: 2}\nstatus: {" + status + "}\n", Deployment.class);

        assertThat(AgentRollout.of(deployment)).isEqualTo(rollout);
    }

    @Test
    void hasNotStartedWithoutADeployment() {
        assertThat(AgentRollout.of(null)).isEqualTo(AgentRollout.NOT_STARTED);
    }
}
