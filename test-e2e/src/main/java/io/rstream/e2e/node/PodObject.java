package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.concurrent.ThreadLocalRandom;

/** The Pod object that shows a local process as a pod of its Deployment. */
final class PodObject {

    static final String NODE = "local-node";
    static final String NODE_LABEL = "rstream.io/local-node";
    static final String CONTAINER = "agent";

    private static final String HASH_LABEL = "pod-template-hash";

    private PodObject() {}

    /** Changes whenever the pod template does. */
    static String templateHash(Deployment deployment) {
        return "%08x"
                .formatted(
                        Serialization.asYaml(deployment.getSpec().getTemplate()).hashCode());
    }

    static Pod of(Deployment deployment) {
        var template = deployment.getSpec().getTemplate();
        var hash = templateHash(deployment);
        var suffix =
                Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36 * 36, 36 * 36 * 36 * 36 * 35), 36);
        var name = deployment.getMetadata().getName();
        return new PodBuilder()
                .withNewMetadata()
                .withName("%s-%s-%s".formatted(name.substring(0, Math.min(name.length(), 45)), hash, suffix))
                .withNamespace(deployment.getMetadata().getNamespace())
                .withLabels(template.getMetadata().getLabels())
                .addToLabels(HASH_LABEL, hash)
                .addToLabels(NODE_LABEL, NODE)
                .withAnnotations(template.getMetadata().getAnnotations())
                .addNewOwnerReference()
                .withApiVersion("apps/v1")
                .withKind("Deployment")
                .withName(name)
                .withUid(deployment.getMetadata().getUid())
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withSpec(template.getSpec())
                .editSpec()
                .withNodeName(NODE)
                .endSpec()
                .build();
    }
}
