package io.rstream.operator.connection;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamConnectionStatus;
import io.rstream.api.v1alpha1.SecretKeyRef;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.operator.status.StatusWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says in a connection's status whether tunnels can use it: reads the Secrets that it refers to, resolves it, reports.
 * Writes nothing but that status, and only when it changed.
 */
@ControllerConfiguration(
        name = "rstreamconnection",
        fieldManager = WellKnown.FIELD_MANAGER_OPERATOR,
        generationAwareEventProcessing = false)
public final class ConnectionReconciler implements Reconciler<RstreamConnection> {

    private static final String BY_SECRET = "secret";

    private final ConnectionResolver resolver;
    private final InstantSource clock;
    private volatile @Nullable InformerEventSource<Secret, RstreamConnection> secrets;

    public ConnectionReconciler(ConnectionResolver resolver, InstantSource clock) {
        this.resolver = resolver;
        this.clock = clock;
    }

    @Override
    public List<EventSource<?, RstreamConnection>> prepareEventSources(EventSourceContext<RstreamConnection> context) {
        var connections = context.getPrimaryCache();
        connections.addIndexer(BY_SECRET, ConnectionReconciler::secretKeys);
        var watched = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Secret.class, RstreamConnection.class)
                        .withItemStore(SecretKeys.cacheWithoutValues())
                        .withPrimaryToSecondaryMapper(ConnectionReconciler::secretIds)
                        .withSecondaryToPrimaryMapper(secret ->
                                connections
                                        .byIndex(
                                                BY_SECRET,
                                                key(
                                                        namespaceOf(secret),
                                                        secret.getMetadata().getName()))
                                        .stream()
                                        .map(ResourceID::fromResource)
                                        .collect(Collectors.toSet()))
                        .build(),
                context);
        secrets = watched;
        return List.of(watched);
    }

    @Override
    public UpdateControl<RstreamConnection> reconcile(
            RstreamConnection connection, Context<RstreamConnection> context) {
        var resolution = resolver.resolve(connection, readSecrets(connection));
        var status = ConnectionStatus.of(connection, resolution, clock.instant());
        if (status.equals(ConnectionStatus.owned(connection.observed()))) {
            return UpdateControl.noUpdate();
        }
        var latest = StatusWriter.write(
                withStatus(connection, status), written -> ConnectionStatus.owned(written.observed()), context);
        // The framework drops events that are older than this write, also those of changes which no pass has looked at.
        return version(latest).equals(version(connection))
                ? UpdateControl.noUpdate()
                : UpdateControl.<RstreamConnection>noUpdate().reschedule();
    }

    private Map<String, SecretKeys> readSecrets(RstreamConnection connection) {
        var cache = Objects.requireNonNull(secrets, "event sources are prepared before the first pass");
        return secretIds(connection).stream()
                .flatMap(id -> cache.get(id).stream())
                .map(SecretKeys::of)
                .collect(Collectors.toMap(SecretKeys::name, secret -> secret));
    }

    private static RstreamConnection withStatus(RstreamConnection connection, RstreamConnectionStatus status) {
        var patch = new RstreamConnection();
        patch.setMetadata(StatusWriter.identity(connection));
        patch.setStatus(status);
        return patch;
    }

    private static Set<ResourceID> secretIds(RstreamConnection connection) {
        return connection.declared().secretRefs().stream()
                .map(ref -> new ResourceID(ref.name(), namespaceOf(connection)))
                .collect(Collectors.toSet());
    }

    private static List<String> secretKeys(RstreamConnection connection) {
        return connection.declared().secretRefs().stream()
                .map(SecretKeyRef::name)
                .distinct()
                .map(name -> key(namespaceOf(connection), name))
                .toList();
    }

    private static String version(RstreamConnection connection) {
        return connection.getMetadata().getResourceVersion();
    }

    private static String namespaceOf(HasMetadata object) {
        return object.getMetadata().getNamespace();
    }

    private static String key(String namespace, String name) {
        return namespace + "/" + name;
    }
}
