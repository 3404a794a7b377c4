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
import io.rstream.operator.controlplane.LookUps;
import io.rstream.operator.event.EventRecorder;
import io.rstream.operator.status.MessagePace;
import io.rstream.operator.status.StatusWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
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
    private final LookUps lookUps;
    private final ProjectLookUp projectLookUp;
    private final EventRecorder events;
    private final MessagePace pace;
    private final InstantSource clock;

    /**
     * A reconciler.
     *
     * @param resolver resolves with what is known
     * @param secrets also what a look-up sends is read from them
     * @param lookUps what the resolver knows of projects
     * @param events where changes of conditions are told
     */
    public ConnectionReconciler(
            ConnectionResolver resolver,
            ReferencedSecrets secrets,
            LookUps lookUps,
            EventRecorder events,
            InstantSource clock) {
        this.resolver = resolver;
        this.secrets = secrets;
        this.lookUps = lookUps;
        this.projectLookUp = new ProjectLookUp(resolver, lookUps, secrets::value);
        this.events = events;
        this.pace = new MessagePace(clock);
        this.clock = clock;
    }

    @Override
    public List<EventSource<?, RstreamConnection>> prepareEventSources(EventSourceContext<RstreamConnection> context) {
        var connections = context.getPrimaryCache();
        connections.addIndexer(BY_SECRET, ReferencedSecrets::keys);
        var changes = secrets.events(
                RstreamConnection.class,
                secret -> connections.byIndex(BY_SECRET, ReferencedSecrets.key(secret)).stream()
                        .map(ResourceID::fromResource)
                        .collect(Collectors.toSet()));
        var ends = new LookUpEvents(projectLookUp::forget);
        lookUps.onEnd(ends::propagateEvent);
        return List.of(changes, ends);
    }

    @Override
    public UpdateControl<RstreamConnection> reconcile(
            RstreamConnection connection, Context<RstreamConnection> context) {
        var referred = secrets.of(connection);
        var next = projectLookUp.keepGoing(connection, referred);
        var resolution = resolver.resolve(connection, referred);
        if (resolution instanceof ConnectionResolution.LookingUp pending && !pending.overdue()) {
            return after(next); // What the status says stands for a moment longer.
        }
        var status = ConnectionStatus.of(connection, resolution, clock.instant());
        var uid = connection.getMetadata().getUid();
        var present = ConnectionStatus.owned(connection.observed());
        if (status.equals(present)) {
            pace.settled(uid, false);
            return after(next);
        }
        if (ConnectionStatus.wordless(status).equals(ConnectionStatus.wordless(present)) && !pace.mayReword(uid)) {
            return after(pace.pause(uid).or(() -> next));
        }
        var latest = StatusWriter.write(
                withStatus(connection, status), written -> ConnectionStatus.owned(written.observed()), context);
        pace.settled(uid, true);
        events.conditionsChanged(connection, connection.observed().conditions(), status.conditions(), null);
        // The framework drops events that are older than this write, also those of changes which no pass has looked at.
        return version(latest).equals(version(connection))
                ? after(next)
                : UpdateControl.<RstreamConnection>noUpdate().reschedule();
    }

    private static UpdateControl<RstreamConnection> after(Optional<Duration> next) {
        var nothing = UpdateControl.<RstreamConnection>noUpdate();
        return next.isPresent() ? nothing.rescheduleAfter(next.get()) : nothing;
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
