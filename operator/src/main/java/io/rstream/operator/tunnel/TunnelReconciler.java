package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.operator.connection.ConnectionResolver;
import io.rstream.operator.connection.ReferencedSecrets;
import io.rstream.operator.event.EventRecorder;
import io.rstream.operator.status.MessagePace;
import io.rstream.operator.tunnel.children.ChildApplier;
import io.rstream.operator.tunnel.children.ChildRefusedException;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an agent run for each tunnel and says in the tunnel's status how that goes: gather, decide, act, report. Every
 * pass looks at everything, whatever caused it; a pass that finds nothing to change writes nothing. What fails is thrown,
 * and tried again by the framework.
 *
 * <p>All changes of a tunnel cause a pass, those of its status too, since the agent reports there.
 */
@ControllerConfiguration(
        name = "rstreamtunnel",
        finalizerName = WellKnown.FINALIZER,
        fieldManager = WellKnown.FIELD_MANAGER_OPERATOR,
        generationAwareEventProcessing = false)
public final class TunnelReconciler implements Reconciler<RstreamTunnel>, Cleaner<RstreamTunnel> {

    private static final Logger log = LoggerFactory.getLogger(TunnelReconciler.class);

    private final TunnelPlanner planner;
    private final ReferencedSecrets secrets;
    private final TunnelStatusWriter statuses;
    private final Set<String> namespaces;
    private final InstantSource clock;
    private volatile @Nullable Watches watches;

    private record Watches(TunnelSources sources, AgentPods pods, ChildApplier children) {}

    /**
     * A reconciler.
     *
     * @param defaults what agents get unless their tunnel says something else
     * @param namespaces the namespaces that are watched; empty means all
     * @param events where changes of conditions are told
     */
    public TunnelReconciler(
            ConnectionResolver resolver,
            ReferencedSecrets secrets,
            AgentDefaults defaults,
            Set<String> namespaces,
            EventRecorder events,
            InstantSource clock) {
        this.planner = new TunnelPlanner(resolver, defaults);
        this.secrets = secrets;
        this.namespaces = Set.copyOf(namespaces);
        this.statuses = new TunnelStatusWriter(new MessagePace(clock), events);
        this.clock = clock;
    }

    @Override
    public List<EventSource<?, RstreamTunnel>> prepareEventSources(EventSourceContext<RstreamTunnel> context) {
        var prepared = new Watches(
                new TunnelSources(context, secrets, namespaces), new AgentPods(context), new ChildApplier(context));
        watches = prepared;
        return Stream.of(
                        prepared.sources().eventSources(),
                        List.of(prepared.pods().eventSource()),
                        prepared.children().eventSources())
                .<EventSource<?, RstreamTunnel>>flatMap(List::stream)
                .toList();
    }

    @Override
    public UpdateControl<RstreamTunnel> reconcile(RstreamTunnel tunnel, Context<RstreamTunnel> context) {
        var said = LostReports.withdraw(tunnel, watches().pods().of(tunnel), context.getClient());
        var latest = pass(said, context);
        return version(latest).equals(version(tunnel))
                ? statuses.pause(tunnel)
                        .map(pause -> UpdateControl.<RstreamTunnel>noUpdate().rescheduleAfter(pause))
                        .orElseGet(UpdateControl::noUpdate)
                : UpdateControl.<RstreamTunnel>noUpdate().reschedule();
    }

    @Override
    public DeleteControl cleanup(RstreamTunnel tunnel, Context<RstreamTunnel> context) {
        reportFinalizing(tunnel, context);
        var metadata = tunnel.getMetadata();
        var name = AgentNames.childBaseName(metadata.getNamespace(), metadata.getName(), metadata.getUid());
        watches().children().deleteAll(tunnel, name, AgentNames.configMapName(name), context.getClient());
        return DeleteControl.defaultDelete();
    }

    private RstreamTunnel pass(LostReports.Outcome said, Context<RstreamTunnel> context) {
        var tunnel = said.tunnel();
        return switch (planner.plan(watches().sources().gather(tunnel))) {
            case TunnelPlan.Blocked blocked -> {
                if (blocked.reason() == Reason.ADDRESS_CONFLICT) {
                    giveUpAddress(tunnel, context);
                }
                yield statuses.write(tunnel, TunnelConditions.blocked(tunnel, blocked, clock.instant()), context);
            }
            case TunnelPlan.Ready ready -> run(said, ready, context);
        };
    }

    /**
     * An agent that holds the very address which an older tunnel asks for is stopped, since the engine would refuse the older
     * one's agent for as long. This happens when the older tunnel was changed later, or when both were made within a second.
     */
    private void giveUpAddress(RstreamTunnel tunnel, Context<RstreamTunnel> context) {
        var metadata = tunnel.getMetadata();
        var name = AgentNames.childBaseName(metadata.getNamespace(), metadata.getName(), metadata.getUid());
        var held = watches()
                .children()
                .configFile(metadata.getNamespace(), AgentNames.configMapName(name))
                .flatMap(PublicAddress::configured);
        if (held.isPresent() && held.equals(PublicAddress.wanted(tunnel))) {
            watches().children().stopAgent(tunnel, name, context.getClient());
        }
    }

    private RstreamTunnel run(LostReports.Outcome said, TunnelPlan.Ready plan, Context<RstreamTunnel> context) {
        var tunnel = said.tunnel();
        var latest = reportHostname(tunnel, plan, context);
        if (!latest.getMetadata().getGeneration().equals(tunnel.getMetadata().getGeneration())) {
            return latest; // the plan is for an older spec
        }
        try {
            plan.workload().children().forEach(child -> watches().children().apply(child, context));
        } catch (ChildRefusedException refused) {
            statuses.write(latest, TunnelConditions.refused(latest, plan, refused.message(), clock.instant()), context);
            throw refused;
        }
        var agents = AgentState.of(deployment(plan), said.pods(), said.lostPod());
        return statuses.write(latest, TunnelConditions.planned(latest, plan, agents, clock.instant()), context);
    }

    /**
     * A new host name is in the status before any child carries it, so that it cannot be forgotten. The status says by then
     * all that is true of a tunnel whose agent has yet to start; the write after the children usually has nothing to add.
     */
    private RstreamTunnel reportHostname(RstreamTunnel tunnel, TunnelPlan.Ready plan, Context<RstreamTunnel> context) {
        return plan.hostname() == null
                        || plan.hostname().equals(tunnel.observed().hostname())
                ? tunnel
                : statuses.write(
                        tunnel, TunnelConditions.planned(tunnel, plan, AgentState.NONE, clock.instant()), context);
    }

    private @Nullable Deployment deployment(TunnelPlan.Ready plan) {
        var workload = plan.workload();
        return watches()
                .children()
                .deployment(workload.namespace(), workload.name())
                .orElse(null);
    }

    /** Best effort: a tunnel that goes away is not worth another try for its status. */
    private void reportFinalizing(RstreamTunnel tunnel, Context<RstreamTunnel> context) {
        try {
            var latest = statuses.write(tunnel, TunnelConditions.finalizing(tunnel, clock.instant()), context);
            // The framework removes the finalizer from this very object; the older version would meet a conflict.
            tunnel.getMetadata().setResourceVersion(latest.getMetadata().getResourceVersion());
        } catch (KubernetesClientException failure) {
            log.atDebug()
                    .addKeyValue("namespace", tunnel.getMetadata().getNamespace())
                    .addKeyValue("name", tunnel.getMetadata().getName())
                    .addKeyValue("error", failure.getMessage())
                    .log("Status of a deleted tunnel was not written");
        }
    }

    private static String version(RstreamTunnel tunnel) {
        return tunnel.getMetadata().getResourceVersion();
    }

    private Watches watches() {
        return Objects.requireNonNull(watches, "event sources are prepared before the first pass");
    }
}
