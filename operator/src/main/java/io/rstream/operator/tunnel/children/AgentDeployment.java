package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentStrategy;
import io.fabric8.kubernetes.api.model.apps.DeploymentStrategyBuilder;
import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.AgentSettings;
import io.rstream.api.v1alpha1.ImagePullSecret;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pure: the Deployment that runs the agent (operator reference, section 3.9). Fields for which the API server would fill
 * in a default inside an atomic structure are written out, since otherwise what is stored never equals what is wanted.
 */
final class AgentDeployment {

    /** Name of the one container. */
    static final String CONTAINER = "agent";

    private static final int HEALTH_PORT = 8081;

    /** The agent lets open streams end for up to 25 s; what then is left is cut, and it exits. */
    private static final long STOP_SECONDS = 30;

    private static final String CONFIG_VOLUME = "config";
    private static final String CONFIG_DIRECTORY = "/etc/rstream-agent";
    private static final String TEMPORARY_VOLUME = "tmp";
    private static final String TEMPORARY_DIRECTORY = "/tmp";

    private AgentDeployment() {}

    static Deployment of(AgentWorkload workload) {
        return new DeploymentBuilder()
                .withMetadata(workload.metadata(workload.name(), WellKnown.COMPONENT_AGENT))
                .withNewSpec()
                .withReplicas(replicas(workload))
                .withStrategy(strategy(workload.replacement()))
                .withNewSelector()
                .withMatchLabels(workload.labels(WellKnown.COMPONENT_AGENT))
                .endSelector()
                .withNewTemplate()
                .withMetadata(podMetadata(workload))
                .withSpec(podSpec(workload))
                .endTemplate()
                .endSpec()
                .build();
    }

    /** Without loss the new pod is there before the old one goes; a Deployment of one pod rounds 25 % to the contrary. */
    private static DeploymentStrategy strategy(AgentReplacement replacement) {
        if (AgentReplacement.RECREATE.equals(replacement.mode())) {
            return new DeploymentStrategyBuilder()
                    .withType(AgentReplacement.RECREATE)
                    .build();
        }
        return new DeploymentStrategyBuilder()
                .withType(AgentReplacement.ROLLING_UPDATE)
                .withNewRollingUpdate()
                .withMaxSurge(new IntOrString(1))
                .withMaxUnavailable(new IntOrString(0))
                .endRollingUpdate()
                .build();
    }

    private static int replicas(AgentWorkload workload) {
        var settings = workload.settings();
        return settings == null || settings.replicas() == null ? 1 : settings.replicas();
    }

    /** The user's labels and annotations come first, so that those on which selector and rollouts depend win. */
    private static ObjectMeta podMetadata(AgentWorkload workload) {
        var settings = workload.settings();
        Map<String, String> labels = new LinkedHashMap<>();
        Map<String, String> annotations = new LinkedHashMap<>();
        if (settings != null) {
            labels.putAll(settings.podLabels());
            annotations.putAll(settings.podAnnotations());
        }
        labels.putAll(workload.labels(WellKnown.COMPONENT_AGENT));
        annotations.put(WellKnown.ANNOTATION_CONFIG_HASH, workload.configHash());
        return new ObjectMetaBuilder()
                .withLabels(labels)
                .withAnnotations(annotations)
                .build();
    }

    private static PodSpec podSpec(AgentWorkload workload) {
        var pod = new PodSpecBuilder()
                .withServiceAccountName(workload.name())
                .withAutomountServiceAccountToken(true)
                .withTerminationGracePeriodSeconds(STOP_SECONDS)
                .withImagePullSecrets(pullSecrets(workload))
                .withNewSecurityContext()
                .withRunAsNonRoot(true)
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .endSecurityContext()
                .withContainers(container(workload))
                .withVolumes(volumes(workload));
        var settings = workload.settings();
        if (settings != null) {
            schedule(pod, settings);
        }
        return pod.build();
    }

    /** The user's own come first, since they are tried in this order. */
    private static List<LocalObjectReference> pullSecrets(AgentWorkload workload) {
        var settings = workload.settings();
        var own = settings == null
                ? Stream.<String>of()
                : settings.imagePullSecrets().stream().map(ImagePullSecret::name);
        return Stream.concat(own, workload.imagePullSecrets().stream())
                .distinct()
                .map(LocalObjectReference::new)
                .toList();
    }

    private static void schedule(PodSpecBuilder pod, AgentSettings settings) {
        pod.withNodeSelector(settings.nodeSelector())
                .withTolerations(settings.tolerations())
                .withAffinity(settings.affinity())
                .withPriorityClassName(emptyToNull(settings.priorityClassName()));
    }

    private static Container container(AgentWorkload workload) {
        return new ContainerBuilder()
                .withName(CONTAINER)
                .withImage(workload.image())
                .withImagePullPolicy("IfNotPresent")
                .withCommand("/rstream-agent")
                .withArgs(
                        "--config=" + CONFIG_DIRECTORY + "/" + AgentConfigMap.KEY,
                        "--health-bind-address=:" + HEALTH_PORT)
                .addNewPort()
                .withName("health")
                .withContainerPort(HEALTH_PORT)
                .withProtocol("TCP")
                .endPort()
                .withEnv(AgentEnvironment.of(workload.credentials()))
                .withResources(resources(workload))
                .withSecurityContext(security())
                .withLivenessProbe(probe("/healthz", 10, 6)
                        .edit()
                        .withInitialDelaySeconds(5)
                        .build())
                .withReadinessProbe(probe("/readyz", 5, 3))
                .withVolumeMounts(mounts(workload))
                .build();
    }

    private static Probe probe(String path, int periodSeconds, int failures) {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withPath(path)
                .withNewPort(HEALTH_PORT)
                .endHttpGet()
                .withPeriodSeconds(periodSeconds)
                .withTimeoutSeconds(2)
                .withFailureThreshold(failures)
                .build();
    }

    private static SecurityContext security() {
        return new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withRunAsNonRoot(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .build();
    }

    private static ResourceRequirements resources(AgentWorkload workload) {
        var settings = workload.settings();
        var wanted = settings == null ? null : settings.resources();
        if (wanted != null
                && !(isEmpty(wanted.getRequests())
                        && isEmpty(wanted.getLimits())
                        && (wanted.getClaims() == null || wanted.getClaims().isEmpty()))) {
            return wanted;
        }
        return new ResourceRequirementsBuilder()
                .addToRequests("cpu", new Quantity("25m"))
                .addToRequests("memory", new Quantity("64Mi"))
                .addToLimits("memory", new Quantity("256Mi"))
                .build();
    }

    /** The API server drops an empty text, so that stating one would differ from what is there in every pass. */
    private static @Nullable String emptyToNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static boolean isEmpty(Map<String, Quantity> quantities) {
        return quantities == null || quantities.isEmpty();
    }

    private static List<VolumeMount> mounts(AgentWorkload workload) {
        List<VolumeMount> mounts = new ArrayList<>();
        mounts.add(readOnly(CONFIG_VOLUME, CONFIG_DIRECTORY));
        if (CredentialsVolume.of(workload.credentials()) != null) {
            mounts.add(readOnly(CredentialsVolume.NAME, CredentialsVolume.DIRECTORY));
        }
        if (workload.credentials().mtls() != null) {
            mounts.add(readOnly(MutualTlsVolume.NAME, MutualTlsVolume.DIRECTORY));
        }
        mounts.add(new VolumeMountBuilder()
                .withName(TEMPORARY_VOLUME)
                .withMountPath(TEMPORARY_DIRECTORY)
                .build());
        return mounts;
    }

    private static VolumeMount readOnly(String volume, String directory) {
        return new VolumeMountBuilder()
                .withName(volume)
                .withMountPath(directory)
                .withReadOnly(true)
                .build();
    }

    /** Beyond the reference there is a directory for temporary files: a JVM needs one beside a read-only root. */
    private static List<Volume> volumes(AgentWorkload workload) {
        List<Volume> volumes = new ArrayList<>();
        volumes.add(new VolumeBuilder()
                .withName(CONFIG_VOLUME)
                .withNewConfigMap()
                .withName(workload.configMapName())
                .addNewItem()
                .withKey(AgentConfigMap.KEY)
                .withPath(AgentConfigMap.KEY)
                .endItem()
                .endConfigMap()
                .build());
        var credentials = CredentialsVolume.of(workload.credentials());
        if (credentials != null) {
            volumes.add(credentials);
        }
        var mtls = workload.credentials().mtls();
        if (mtls != null) {
            volumes.add(MutualTlsVolume.of(mtls));
        }
        volumes.add(new VolumeBuilder()
                .withName(TEMPORARY_VOLUME)
                .withNewEmptyDir()
                .endEmptyDir()
                .build());
        return volumes;
    }
}
