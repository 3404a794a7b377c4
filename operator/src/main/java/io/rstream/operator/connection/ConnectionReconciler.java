package io.rstream.operator.connection;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamConnectionStatus;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.operator.event.EventRecorder;
import io.rstream.operator.status.StatusWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;

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
    private final ReferencedSecrets secrets;
    private final EventRecorder events;
    private final InstantSource clock;

    /**
     * A reconciler.
     *
     * @param events where changes of conditions are told
     */
    public ConnectionReconciler(
            ConnectionResolver resolver, ReferencedSecrets secrets, EventRecorder events, InstantSource clock) {
        this.resolver = resolver;
        this.secrets = secrets;
        this.events = events;
        this.clock = clock;
    }

    @Override
    public List<EventSource<?, RstreamConnection>> prepareEventSources(EventSourceContext<RstreamConnection> context) {
        var connections = context.getPrimaryCache();
        connections.addIndexer(BY_SECRET, ReferencedSecrets::keys);
        return List.of(secrets.events(
                RstreamConnection.class,
                secret -> connections.byIndex(BY_SECRET, ReferencedSecrets.key(secret)).stream()
                        .map(ResourceID::fromResource)
                        .collect(Collectors.toSet())));
    }

    @Override
    public UpdateControl<RstreamConnection> reconcile(
            RstreamConnection connection, Context<RstreamConnection> context) {
        var resolution = resolver.resolve(connection, secrets.of(connection));
        var status = ConnectionStatus.of(connection, resolution, clock.instant());
        if (status.equals(ConnectionStatus.owned(connection.observed()))) {
            return UpdateControl.noUpdate();
        }
        var latest = StatusWriter.write(
                withStatus(connection, status), written -> ConnectionStatus.owned(written.observed()), context);
        events.conditionsChanged(connection, connection.observed().conditions(), status.conditions(), null);
        // The framework drops events that are older than this write, also those of changes which no pass has looked at.
        return version(latest).equals(version(connection))
                ? UpdateControl.noUpdate()
                : UpdateControl.<RstreamConnection>noUpdate().reschedule();
    }

    private static RstreamConnection withStatus(RstreamConnection connection, RstreamConnectionStatus status) {
        var patch = new RstreamConnection();
        patch.setMetadata(StatusWriter.identity(connection));
        patch.setStatus(status);
        return patch;
    }

    private static String version(RstreamConnection connection) {
        return connection.getMetadata().getResourceVersion();
    }
}
