package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.operator.connection.ReferencedSecrets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Watches what tunnels refer to, wakes the tunnels that a change concerns, and reads it from the caches. Every look-up
 * goes through an index, so that one event costs as much as it has tunnels, whatever the size of the cluster.
 */
final class TunnelSources {

    private static final String BY_CONNECTION = "connection";
    private static final String BY_SERVICE = "service";
    private static final String BY_SECRET = "secret";

    private final IndexerResourceCache<RstreamTunnel> tunnels;
    private final InformerEventSource<RstreamConnection, RstreamTunnel> connections;
    private final InformerEventSource<Service, RstreamTunnel> services;
    private final EventSource<?, RstreamTunnel> secretEvents;
    private final ReferencedSecrets secrets;
    private final AddressRivals rivals;
    private final Set<String> namespaces;

    /**
     * Watches; the framework starts them.
     *
     * @param namespaces the namespaces that are watched; empty means all
     */
    TunnelSources(EventSourceContext<RstreamTunnel> context, ReferencedSecrets secrets, Set<String> namespaces) {
        this.secrets = secrets;
        this.namespaces = Set.copyOf(namespaces);
        tunnels = context.getPrimaryCache();
        tunnels.addIndexer(BY_CONNECTION, tunnel -> key(connectionId(tunnel)));
        tunnels.addIndexer(BY_SERVICE, tunnel -> key(serviceId(tunnel)));
        rivals = new AddressRivals(tunnels);
        connections = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(RstreamConnection.class, RstreamTunnel.class)
                        .withPrimaryToSecondaryMapper((RstreamTunnel tunnel) -> ids(connectionId(tunnel)))
                        .withSecondaryToPrimaryMapper(this::tunnelsOfConnection)
                        .build(),
                context);
        connections.addIndexer(BY_SECRET, ReferencedSecrets::keys);
        services = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Service.class, RstreamTunnel.class)
                        .withPrimaryToSecondaryMapper((RstreamTunnel tunnel) -> ids(serviceId(tunnel)))
                        .withSecondaryToPrimaryMapper(service -> tunnelsOf(BY_SERVICE, service))
                        .build(),
                context);
        secretEvents = secrets.events(RstreamTunnel.class, this::tunnelsOfSecret);
    }

    List<EventSource<?, RstreamTunnel>> eventSources() {
        return List.of(connections, services, secretEvents, rivals);
    }

    /** Reads what a tunnel refers to, once: from caches, and Secrets from the API server when their version is new. */
    TunnelInputs gather(RstreamTunnel tunnel) {
        var connection = connectionId(tunnel).flatMap(connections::get);
        var service = serviceId(tunnel).flatMap(services::get);
        var keys = connection.map(secrets::of).orElseGet(Map::of);
        return new TunnelInputs(
                tunnel, connection.orElse(null), keys, service.orElse(null), isServiceWatched(tunnel), rivals(tunnel));
    }

    private boolean isServiceWatched(RstreamTunnel tunnel) {
        return namespaces.isEmpty()
                || serviceId(tunnel)
                        .flatMap(ResourceID::getNamespace)
                        .filter(namespace -> !namespaces.contains(namespace))
                        .isEmpty();
    }

    /** A tunnel whose connection has no engine cannot hold an address. */
    private List<TunnelInputs.Rival> rivals(RstreamTunnel tunnel) {
        return rivals.olderThan(tunnel).stream()
                .flatMap(rival ->
                        engine(rival)
                                .map(engine -> new TunnelInputs.Rival(key(ResourceID.fromResource(rival)), engine))
                                .stream())
                .toList();
    }

    /** What the connection says, else what was found for it. */
    private Optional<String> engine(RstreamTunnel tunnel) {
        var connection = connectionId(tunnel).flatMap(connections::get);
        return connection
                .map(present -> present.declared().engine())
                .or(() -> connection.map(present -> present.observed().engine()));
    }

    /** Also those with which the connection's tunnels compete: another engine ends or begins that. */
    private Set<ResourceID> tunnelsOfConnection(RstreamConnection connection) {
        return tunnels.byIndex(BY_CONNECTION, key(ResourceID.fromResource(connection))).stream()
                .flatMap(
                        tunnel -> Stream.concat(Stream.of(ResourceID.fromResource(tunnel)), rivals.of(tunnel).stream()))
                .collect(Collectors.toSet());
    }

    private Set<ResourceID> tunnelsOf(String index, HasMetadata referred) {
        return tunnels.byIndex(index, key(ResourceID.fromResource(referred))).stream()
                .map(ResourceID::fromResource)
                .collect(Collectors.toSet());
    }

    private Set<ResourceID> tunnelsOfSecret(ResourceID secret) {
        return connections.byIndex(BY_SECRET, ReferencedSecrets.key(secret)).stream()
                .flatMap(connection -> tunnelsOf(BY_CONNECTION, connection).stream())
                .collect(Collectors.toSet());
    }

    private static Optional<ResourceID> connectionId(RstreamTunnel tunnel) {
        return Optional.ofNullable(tunnel.getSpec())
                .map(spec -> new ResourceID(
                        spec.connectionName(), tunnel.getMetadata().getNamespace()));
    }

    /** An object that was admitted without spec or target refers to nothing. */
    private static Optional<ResourceID> serviceId(RstreamTunnel tunnel) {
        var spec = tunnel.getSpec();
        if (spec == null || spec.target() == null || spec.target().service() == null) {
            return Optional.empty();
        }
        var name = spec.target().service().name();
        return name == null
                ? Optional.empty()
                : Optional.of(new ResourceID(
                        name, spec.serviceNamespace(tunnel.getMetadata().getNamespace())));
    }

    private static Set<ResourceID> ids(Optional<ResourceID> id) {
        return id.map(Set::of).orElseGet(Set::of);
    }

    private static List<String> key(Optional<ResourceID> id) {
        return id.map(TunnelSources::key).stream().toList();
    }

    private static String key(ResourceID id) {
        return id.getNamespace().orElse("") + "/" + id.getName();
    }
}
