package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.TransformingItemStore;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Watches the pods of agents and keeps a small copy of each. A change wakes the tunnel only if it changes what {@link
 * AgentPod} says.
 */
final class AgentPods {

    private static final String OURS = WellKnown.LABEL_MANAGED_BY + "=" + WellKnown.APPLICATION_NAME;
    private static final String BY_TUNNEL = "tunnel";
    private static final Set<String> CONDITIONS = Set.of("Ready", "PodScheduled");

    private final InformerEventSource<Pod, RstreamTunnel> pods;

    AgentPods(EventSourceContext<RstreamTunnel> context) {
        pods = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Pod.class, RstreamTunnel.class)
                        .withLabelSelector(OURS)
                        .withItemStore(new TransformingItemStore<Pod>(AgentPods::bare))
                        .withOnUpdateFilter(
                                (after, before) -> !AgentPod.of(after).equals(AgentPod.of(before)))
                        .withSecondaryToPrimaryMapper(AgentPods::tunnelOf)
                        .build(),
                context);
        pods.addIndexer(BY_TUNNEL, pod -> tunnelUid(pod).stream().toList());
    }

    EventSource<?, RstreamTunnel> eventSource() {
        return pods;
    }

    /** The pods of a tunnel's agent that are known, by name. */
    List<AgentPod> of(RstreamTunnel tunnel) {
        return pods.byIndex(BY_TUNNEL, tunnel.getMetadata().getUid()).stream()
                .map(AgentPod::of)
                .sorted(Comparator.comparing(AgentPod::name))
                .toList();
    }

    static boolean belongsTo(Pod pod, RstreamTunnel tunnel) {
        return tunnelUid(pod).filter(tunnel.getMetadata().getUid()::equals).isPresent();
    }

    /** A copy with no more than {@link AgentPod} looks at. */
    static Pod bare(Pod pod) {
        var metadata = pod.getMetadata();
        var bare = new Pod();
        bare.setMetadata(new ObjectMetaBuilder()
                .withNamespace(metadata.getNamespace())
                .withName(metadata.getName())
                .withUid(metadata.getUid())
                .withResourceVersion(metadata.getResourceVersion())
                .withDeletionTimestamp(metadata.getDeletionTimestamp())
                .withLabels(only(metadata.getLabels(), WellKnown.LABEL_TUNNEL_NAME, WellKnown.LABEL_TUNNEL_UID))
                .withAnnotations(only(metadata.getAnnotations(), WellKnown.ANNOTATION_CONFIG_HASH))
                .build());
        var spec = new PodSpec();
        spec.setNodeName(pod.getSpec() == null ? null : pod.getSpec().getNodeName());
        AgentPod.image(pod).ifPresent(image -> spec.setContainers(List.of(container(image))));
        bare.setSpec(spec);
        bare.setStatus(status(pod));
        return bare;
    }

    private static PodStatus status(Pod pod) {
        var status = new PodStatus();
        if (pod.getStatus() != null) {
            status.setPhase(pod.getStatus().getPhase());
            status.setReason(pod.getStatus().getReason());
            status.setConditions(CONDITIONS.stream()
                    .flatMap(type -> AgentPod.condition(pod, type).stream())
                    .toList());
            status.setContainerStatuses(AgentPod.container(pod).stream().toList());
        }
        return status;
    }

    private static Container container(String image) {
        var container = new Container();
        container.setName(AgentPod.CONTAINER);
        container.setImage(image);
        return container;
    }

    private static Map<String, String> only(@Nullable Map<String, String> all, String... keys) {
        Map<String, String> kept = new TreeMap<>();
        if (all != null) {
            Stream.of(keys)
                    .filter(all::containsKey)
                    .forEach(key -> kept.put(key, Objects.requireNonNull(all.get(key))));
        }
        return kept;
    }

    private static Set<ResourceID> tunnelOf(Pod pod) {
        return label(pod, WellKnown.LABEL_TUNNEL_NAME)
                .map(name -> Set.of(new ResourceID(name, pod.getMetadata().getNamespace())))
                .orElseGet(Set::of);
    }

    private static Optional<String> tunnelUid(Pod pod) {
        return label(pod, WellKnown.LABEL_TUNNEL_UID);
    }

    private static Optional<String> label(Pod pod, String key) {
        return Optional.ofNullable(pod.getMetadata().getLabels()).map(labels -> labels.get(key));
    }
}
