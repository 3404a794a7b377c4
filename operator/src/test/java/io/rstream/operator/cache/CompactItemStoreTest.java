package io.rstream.operator.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CompactItemStoreTest {

    private final CompactItemStore<Deployment> store =
            new CompactItemStore<>(Deployment.class, new KubernetesSerialization());

    @Test
    void givesBackWhatWasPutAsACopy() {
        var deployment = deployment("web");

        var before = store.put("shop/web", deployment);

        assertThat(before).isNull();
        assertThat(store.get("shop/web")).isEqualTo(deployment).isNotSameAs(deployment);
        assertThat(store.values()).containsExactly(deployment);
        assertThat(store.keySet()).containsExactly(store.getKey(deployment));
    }

    @Test
    void givesBackWhatWasThereBefore() {
        store.put("shop/web", deployment("web"));

        assertThat(store.put("shop/web", deployment("web2"))).isEqualTo(deployment("web"));
        assertThat(store.remove("shop/web")).isEqualTo(deployment("web2"));
        assertThat(store.get("shop/web")).isNull();
        assertThat(store.size()).isZero();
    }

    private static Deployment deployment(String name) {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withNamespace("shop")
                .withName(name)
                .addNewManagedField()
                .withManager("rstream-operator")
                .withOperation("Apply")
                .withNewFieldsV1()
                .addToAdditionalProperties("f:spec", Map.of("f:replicas", Map.of()))
                .endFieldsV1()
                .endManagedField()
                .endMetadata()
                .withNewSpec()
                .withReplicas(1)
                .withNewTemplate()
                .withNewSpec()
                .addNewContainer()
                .withName("agent")
                .withNewResources()
                .addToRequests("memory", new Quantity("64Mi"))
                .endResources()
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}
