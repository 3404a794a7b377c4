package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.SSABasedGenericKubernetesResourceMatcher;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.Mappers;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.operator.cache.CompactItemStore;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes children what they should be: watches them, compares what is wanted with what is cached, and sends a server-side
 * apply for those that differ only. The operator's field manager owns the fields that it states and no other, so what
 * others add survives, and a field that is no longer wanted goes. Used by several threads; holds no state of its own.
 */
public final class ChildApplier {

    private static final Logger log = LoggerFactory.getLogger(ChildApplier.class);
    private static final String OURS = WellKnown.LABEL_MANAGED_BY + "=" + WellKnown.APPLICATION_NAME;
    private static final Set<Integer> REFUSALS = Set.of(403, 422);
    private static final Set<Integer> GONE = Set.of(404, 409);

    private final Map<Class<? extends HasMetadata>, InformerEventSource<? extends HasMetadata, RstreamTunnel>> watched =
            new LinkedHashMap<>();

    public ChildApplier(EventSourceContext<RstreamTunnel> context) {
        watch(ConfigMap.class, context);
        watch(ServiceAccount.class, context);
        watch(Role.class, context);
        watch(RoleBinding.class, context);
        watch(Deployment.class, context);
    }

    /** The watches; each change of a child wakes its tunnel. */
    public List<EventSource<?, RstreamTunnel>> eventSources() {
        return List.copyOf(watched.values());
    }

    /** The cached Deployment, including what this process has just applied. */
    public Optional<Deployment> deployment(String namespace, String name) {
        return source(Deployment.class).get(new ResourceID(name, namespace));
    }

    /** The cached text of an agent's configuration file. */
    public Optional<String> configFile(String namespace, String configMapName) {
        return source(ConfigMap.class)
                .get(new ResourceID(configMapName, namespace))
                .flatMap(present -> Optional.ofNullable(present.getData()))
                .flatMap(data -> Optional.ofNullable(data.get(AgentConfigMap.KEY)));
    }

    /** Takes the agent of a tunnel away until its Deployment is applied again; everything else of it stays. */
    public void stopAgent(RstreamTunnel tunnel, String name, KubernetesClient client) {
        deployment(tunnel.getMetadata().getNamespace(), name)
                .filter(present -> isControlledBy(present, tunnel))
                .filter(present -> !Objects.equals(present.getSpec().getReplicas(), 0))
                .ifPresent(present -> client.resource(present)
                        .patch(
                                new PatchContext.Builder()
                                        .withPatchType(PatchType.JSON_MERGE)
                                        .withFieldManager(WellKnown.FIELD_MANAGER_OPERATOR)
                                        .build(),
                                "{\"metadata\":{\"uid\":\"%s\"},\"spec\":{\"replicas\":0}}"
                                        .formatted(present.getMetadata().getUid())));
    }

    /**
     * Makes one child what it should be.
     *
     * @throws ChildRefusedException when somebody else controls the object, or the API server does not accept it
     * @throws KubernetesClientException when the API server cannot be reached or fails; worth another try
     */
    public <R extends HasMetadata> void apply(R wanted, Context<RstreamTunnel> context) {
        @SuppressWarnings("unchecked") // the class of an R is a Class<R>
        var source = source((Class<R>) wanted.getClass());
        var present = source.get(ResourceID.fromResource(wanted));
        present.ifPresent(child -> requireOurs(child, context.getPrimaryResource()));
        if (present.isPresent() && matches(present.get(), wanted, context)) {
            return;
        }
        present.filter(IncumbentFields::remainIn)
                .ifPresent(child -> IncumbentFields.takeOver(child, context.getClient()));
        try {
            context.resourceOperations().serverSideApply(wanted, source);
        } catch (KubernetesClientException failure) {
            throw REFUSALS.contains(failure.getCode()) ? refusal(wanted, failure) : failure;
        }
        log.atDebug()
                .addKeyValue("namespace", wanted.getMetadata().getNamespace())
                .addKeyValue("name", wanted.getMetadata().getName())
                .log("{} applied", wanted.getKind());
    }

    /**
     * Deletes the children of a tunnel that are cached and controlled by it, in the order of operator reference, section
     * 3.10. Children that are already gone, or were replaced by others of the same name, are no error.
     */
    public void deleteAll(RstreamTunnel tunnel, String name, String configMapName, KubernetesClient client) {
        delete(Deployment.class, name, tunnel, client);
        delete(ConfigMap.class, configMapName, tunnel, client);
        delete(RoleBinding.class, name, tunnel, client);
        delete(Role.class, name, tunnel, client);
        delete(ServiceAccount.class, name, tunnel, client);
    }

    private <R extends HasMetadata> void delete(
            Class<R> kind, String name, RstreamTunnel tunnel, KubernetesClient client) {
        source(kind)
                .get(new ResourceID(name, tunnel.getMetadata().getNamespace()))
                .filter(child -> isControlledBy(child, tunnel))
                .ifPresent(child -> delete(child, client));
    }

    /** The UID goes with the request, so that an object made by somebody else in the meantime is spared. */
    private static void delete(HasMetadata child, KubernetesClient client) {
        DeleteOptions onlyThisOne = new DeleteOptionsBuilder()
                .withNewPreconditions()
                .withUid(child.getMetadata().getUid())
                .endPreconditions()
                .build();
        try {
            client.raw(path(child), "DELETE", onlyThisOne);
        } catch (KubernetesClientException failure) {
            if (!GONE.contains(failure.getCode())) {
                throw failure;
            }
        }
    }

    private static String path(HasMetadata child) {
        var root = child.getApiVersion().contains("/") ? "/apis/" : "/api/";
        return root + child.getApiVersion() + "/namespaces/"
                + child.getMetadata().getNamespace() + "/" + child.getPlural() + "/"
                + child.getMetadata().getName();
    }

    private static <R extends HasMetadata> boolean matches(R present, R wanted, Context<RstreamTunnel> context) {
        return SSABasedGenericKubernetesResourceMatcher.<R>getInstance().matches(present, wanted, context);
    }

    private static void requireOurs(HasMetadata child, RstreamTunnel tunnel) {
        controller(child)
                .filter(owner -> !owner.equals(tunnel.getMetadata().getUid()))
                .ifPresent(owner -> {
                    throw new ChildRefusedException("%s \"%s\" is controlled by another object; delete or rename it"
                            .formatted(child.getKind(), child.getMetadata().getName()));
                });
    }

    private static boolean isControlledBy(HasMetadata child, RstreamTunnel tunnel) {
        return controller(child)
                .filter(owner -> owner.equals(tunnel.getMetadata().getUid()))
                .isPresent();
    }

    private static Optional<String> controller(HasMetadata child) {
        return child.getMetadata().getOwnerReferences().stream()
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .map(OwnerReference::getUid)
                .findFirst();
    }

    private static ChildRefusedException refusal(HasMetadata wanted, KubernetesClientException failure) {
        var status = failure.getStatus();
        var cause = status == null || status.getMessage() == null ? failure.getMessage() : status.getMessage();
        return new ChildRefusedException(
                "%s \"%s\" cannot be applied: %s"
                        .formatted(wanted.getKind(), wanted.getMetadata().getName(), cause),
                failure);
    }

    /** One store serves one watch: with a watch for each namespace, the framework's own stores are used. */
    private <R extends HasMetadata> void watch(Class<R> kind, EventSourceContext<RstreamTunnel> context) {
        var watch = InformerEventSourceConfiguration.from(kind, RstreamTunnel.class)
                .withLabelSelector(OURS)
                .withSecondaryToPrimaryMapper(toTunnel());
        if (context.getControllerConfiguration().getInformerConfig().watchAllNamespaces()) {
            watch.withItemStore(new CompactItemStore<>(kind, context.getClient().getKubernetesSerialization()));
        }
        watched.put(kind, new InformerEventSource<>(watch.build(), context));
    }

    /** By owner and by label: whichever of the two somebody removes, the other still leads to the tunnel. */
    private static <R extends HasMetadata> SecondaryToPrimaryMapper<R> toTunnel() {
        SecondaryToPrimaryMapper<R> byOwner = Mappers.fromOwnerReferences(RstreamTunnel.class);
        return child -> {
            Set<ResourceID> tunnels = new HashSet<>(byOwner.toPrimaryResourceIDs(child));
            var labels = child.getMetadata().getLabels();
            var name = labels == null ? null : labels.get(WellKnown.LABEL_TUNNEL_NAME);
            if (name != null) {
                tunnels.add(new ResourceID(name, child.getMetadata().getNamespace()));
            }
            return tunnels;
        };
    }

    @SuppressWarnings("unchecked") // watch() pairs each class with a source of that class
    private <R extends HasMetadata> InformerEventSource<R, RstreamTunnel> source(Class<R> kind) {
        return (InformerEventSource<R, RstreamTunnel>) Objects.requireNonNull(watched.get(kind), kind::getName);
    }
}
