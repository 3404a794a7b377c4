package io.rstream.operator.tunnel.children;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.MutualTls;
import io.rstream.api.v1alpha1.SecretKeyRef;
import io.rstream.testcluster.LocalCluster;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AgentPodIT {

    private static final SecretKeyRef KEY = new SecretKeyRef("credentials", "key");

    @Test
    @Tag("parity-77")
    @Tag("parity-79")
    void isAdmittedUnderTheRestrictedProfile() {
        var cluster = LocalCluster.shared();
        var namespace = cluster.createNamespace("restricted");
        cluster.client()
                .namespaces()
                .withName(namespace)
                .edit(present -> present.edit()
                        .editMetadata()
                        .addToLabels(Map.of("pod-security.kubernetes.io/enforce", "restricted"))
                        .endMetadata()
                        .build());
        var workload = workload(namespace);
        cluster.client().resource(AgentRbac.serviceAccount(workload)).create();
        var template = AgentDeployment.of(workload).getSpec().getTemplate();

        var admitted = cluster.client()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("agent")
                        .endMetadata()
                        .withSpec(template.getSpec())
                        .build())
                .dryRun()
                .create();

        assertThat(admitted.getSpec().getVolumes())
                .filteredOn(volume -> volume.getName().equals(CredentialsVolume.NAME))
                .singleElement()
                .satisfies(volume -> assertThat(volume.getProjected().getDefaultMode())
                        .as("a user without a group of the volume can read it")
                        .isEqualTo(0644));
    }

    private static AgentWorkload workload(String namespace) {
        return new AgentWorkload(
                namespace,
                "web",
                "uid-1",
                "rstream-web-1",
                "rstream-web-1-config",
                "",
                "agent:1",
                new AgentCredentials(KEY, KEY, new MutualTls(KEY, KEY, KEY), KEY, KEY),
                List.of("registry"),
                new AgentReplacement(AgentReplacement.ROLLING_UPDATE, "edge.example.com:443"),
                null);
    }
}
