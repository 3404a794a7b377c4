package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.rstream.agent.config.AgentConfigFile;
import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.AgentSettings;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the children of one tunnel follow from (operator reference, section 3.9).
 *
 * @param namespace namespace of the tunnel and its children
 * @param tunnelName name of the tunnel
 * @param tunnelUid UID of the tunnel
 * @param name base name of the children
 * @param configMapName name of the ConfigMap
 * @param configFile text of the agent's configuration file
 * @param image image of the agent
 * @param credentials where the pod takes its credentials from
 * @param imagePullSecrets names of Secrets with which the operator's user wants all agents' images to be pulled
 * @param replacement how a changed agent takes the place of the running one
 * @param settings what the user wants of the pod
 */
public record AgentWorkload(
        String namespace,
        String tunnelName,
        String tunnelUid,
        String name,
        String configMapName,
        String configFile,
        String image,
        AgentCredentials credentials,
        List<String> imagePullSecrets,
        AgentReplacement replacement,
        @Nullable AgentSettings settings) {

    public AgentWorkload {
        imagePullSecrets = List.copyOf(imagePullSecrets);
    }

    /** Which configuration the agent runs: the annotation of its pod, and what it says of itself in its report. */
    public String configHash() {
        return AgentConfigFile.hash(configFile);
    }

    /** The five children in the order in which they are applied. */
    public List<HasMetadata> children() {
        return List.of(
                AgentConfigMap.of(this),
                AgentRbac.serviceAccount(this),
                AgentRbac.role(this),
                AgentRbac.roleBinding(this),
                AgentDeployment.of(this));
    }

    ObjectMeta metadata(String childName, String component) {
        return new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName(childName)
                .withLabels(labels(component))
                .withOwnerReferences(owner())
                .build();
    }

    Map<String, String> labels(String component) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put(WellKnown.LABEL_NAME, WellKnown.APPLICATION_NAME);
        labels.put(WellKnown.LABEL_INSTANCE, name);
        labels.put(WellKnown.LABEL_COMPONENT, component);
        labels.put(WellKnown.LABEL_MANAGED_BY, WellKnown.APPLICATION_NAME);
        labels.put(WellKnown.LABEL_PART_OF, WellKnown.PART_OF);
        labels.put(WellKnown.LABEL_TUNNEL_NAME, tunnelName);
        labels.put(WellKnown.LABEL_TUNNEL_NAMESPACE, namespace);
        labels.put(WellKnown.LABEL_TUNNEL_UID, tunnelUid);
        return labels;
    }

    private OwnerReference owner() {
        return new OwnerReferenceBuilder()
                .withApiVersion(WellKnown.API_VERSION)
                .withKind("RstreamTunnel")
                .withName(tunnelName)
                .withUid(tunnelUid)
                .withController(true)
                .withBlockOwnerDeletion(true)
                .build();
    }
}
