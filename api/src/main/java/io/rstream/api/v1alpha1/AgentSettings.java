package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pod that carries a tunnel's traffic.
 *
 * @param image image of the agent; absent means the operator's default
 * @param replicas number of pods, always 1
 * @param resources requests and limits; replace the operator's defaults as a whole
 * @param podLabels extra pod labels
 * @param podAnnotations extra pod annotations
 * @param nodeSelector node labels that the pod needs
 * @param tolerations taints that the pod tolerates
 * @param affinity scheduling rules
 * @param priorityClassName priority class
 * @param imagePullSecrets Secrets with which the image is pulled
 */
@Document
public record AgentSettings(
        @JsonPropertyDescription("Image of the agent. Absent means the operator's default.") @Nullable
        String image,

        @JsonPropertyDescription("Number of agent pods. A tunnel has exactly one.")
        @Default("1")
        @Min(1)
        @Max(1)
        @Nullable
        Integer replicas,

        @JsonPropertyDescription(
                "Resources of the agent's container. If any are given they replace the defaults as a" + " whole.")
        @Nullable
        ResourceRequirements resources,

        @JsonPropertyDescription("Extra labels of the agent's pod. Labels that select the pod cannot be changed.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        Map<String, String> podLabels,

        @JsonPropertyDescription("Extra annotations of the agent's pod.") @JsonInclude(JsonInclude.Include.NON_EMPTY)
        Map<String, String> podAnnotations,

        @JsonPropertyDescription("Labels that a node must have to run the agent.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        Map<String, String> nodeSelector,

        @JsonPropertyDescription("Taints that the agent's pod tolerates.") @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<Toleration> tolerations,

        @JsonPropertyDescription("Rules for the choice of the agent's node.") @Nullable
        Affinity affinity,

        @JsonPropertyDescription("Priority class of the agent's pod.") @Nullable
        String priorityClassName,

        @JsonPropertyDescription("Secrets in the tunnel's namespace with which the agent's image is pulled.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<ImagePullSecret> imagePullSecrets) {

    public AgentSettings {
        podLabels = Absent.toEmpty(podLabels);
        podAnnotations = Absent.toEmpty(podAnnotations);
        nodeSelector = Absent.toEmpty(nodeSelector);
        tolerations = Absent.toEmpty(tolerations);
        imagePullSecrets = Absent.toEmpty(imagePullSecrets);
    }
}
