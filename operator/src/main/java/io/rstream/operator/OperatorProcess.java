package io.rstream.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.event.rate.LinearRateLimiter;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.operator.cache.CompactItemStore;
import io.rstream.operator.connection.ConnectionReconciler;
import io.rstream.operator.connection.ConnectionResolver;
import io.rstream.operator.connection.ReferencedSecrets;
import io.rstream.operator.controlplane.ControlPlaneClient;
import io.rstream.operator.controlplane.ControlPlaneOptions;
import io.rstream.operator.controlplane.LookUps;
import io.rstream.operator.controlplane.TrustedAuthorities;
import io.rstream.operator.event.EventRecorder;
import io.rstream.operator.tunnel.TunnelReconciler;
import io.rstream.process.BindAddress;
import io.rstream.process.ManagementServer;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running operator: both reconcilers, the client that they share, health and metrics. Used by {@link OperatorMain}, and
 * by tests and local clusters within their own process. Safe for use by several threads.
 */
public final class OperatorProcess implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OperatorProcess.class);

    private static final Duration FIRST_RETRY = Duration.ofMillis(200);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);
    private static final int RECONCILE_THREADS = 8;
    private static final int CONCURRENT_REQUESTS = 32;
    // One object whose events never end must not keep a thread busy.
    private static final Duration RATE_PERIOD = Duration.ofSeconds(1);
    private static final int RATE_LIMIT = 10;

    private static final int WAITING_EVENTS = 1_000;

    private final InstantSource clock;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private volatile boolean running;
    private volatile @Nullable Operator operator;
    private @Nullable ManagementServer health;
    private @Nullable ManagementServer metrics;

    private OperatorProcess(InstantSource clock) {
        this.clock = clock;
    }

    /** As {@link #start(Config, OperatorOptions, Consumer)}; what goes wrong later is logged only. */
    public static OperatorProcess start(Config kubernetes, OperatorOptions options) throws IOException {
        return start(
                kubernetes,
                options,
                reason -> log.atError().addKeyValue("reason", reason).log("Operator failed"));
    }

    /**
     * Starts an operator and returns when its caches are filled.
     *
     * @param kubernetes how to reach the API server
     * @param onFailure called with a sentence when the operator can no longer work: it lost the Lease, or a watch ended
     * @throws IOException when an address cannot be bound
     * @throws OperatorStartException when the API server does not answer, does not know the resources, or refuses access
     */
    public static OperatorProcess start(Config kubernetes, OperatorOptions options, Consumer<String> onFailure)
            throws IOException {
        return start(kubernetes, options, onFailure, InstantSource.system());
    }

    /**
     * As {@link #start(Config, OperatorOptions, Consumer)}, with another clock.
     *
     * @param clock where the times in conditions come from; may jump
     */
    public static OperatorProcess start(
            Config kubernetes, OperatorOptions options, Consumer<String> onFailure, InstantSource clock)
            throws IOException {
        var process = new OperatorProcess(clock);
        try {
            process.startParts(kubernetes, options, onFailure);
            return process;
        } catch (IOException | RuntimeException | Error failure) {
            process.close();
            throw failure;
        }
    }

    /** The port on which health is served, if it is. */
    public OptionalInt healthPort() {
        return health == null ? OptionalInt.empty() : OptionalInt.of(health.port());
    }

    /** The port on which metrics are served, if they are. */
    public OptionalInt metricsPort() {
        return metrics == null ? OptionalInt.empty() : OptionalInt.of(metrics.port());
    }

    @Override
    public synchronized void close() {
        running = false;
        while (!started.isEmpty()) {
            var part = started.pop();
            try {
                part.close();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            } catch (
                    Exception
                            failure) { // AutoCloseable of the framework declares it; the other parts still have to stop
                log.atWarn().setCause(failure).log("A part of the operator did not stop cleanly");
            }
        }
    }

    private void startParts(Config kubernetes, OperatorOptions options, Consumer<String> onFailure) throws IOException {
        var meters = keep(new OperatorMetrics());
        var client = keep(client(kubernetes));
        var threads = new ReconcileThreads(RECONCILE_THREADS, STOP_LIMIT);
        metrics = serve(options.metrics(), Map.of("/metrics", ManagementServer.metrics(meters.registry())));
        health = serve(
                options.health(),
                Map.of("/healthz", ManagementServer.healthz(), "/readyz", ManagementServer.readyz(this::isReady)));
        requireResource(client, RstreamConnection.class, options.watchNamespaces());
        requireResource(client, RstreamTunnel.class, options.watchNamespaces());
        var secrets = keep(secrets(kubernetes, client, options.watchNamespaces(), onFailure));
        var framework = operator(client, secrets, lookUps(options.controlPlane()), threads, options, meters, onFailure);
        operator = framework;
        if (options.leaderElection() != null) {
            started.push(new LeaseRelease(client, options.leaderElection()));
        }
        started.push(framework::stop);
        started.push(threads);
        try {
            framework.start();
        } catch (RuntimeException failure) {
            throw new OperatorStartException("the operator cannot start: " + rootMessage(failure), failure);
        }
        running = true;
        log.atInfo().log("Operator started");
    }

    private boolean isReady() {
        var framework = operator;
        return running && framework != null && framework.getRuntimeInfo().allEventSourcesAreHealthy();
    }

    private <T extends AutoCloseable> T keep(T part) {
        started.push(part);
        return part;
    }

    private @Nullable ManagementServer serve(
            @Nullable BindAddress address, Map<String, ManagementServer.Endpoint> endpoints) throws IOException {
        return address == null ? null : keep(ManagementServer.start(address, endpoints));
    }

    /** Calls are not repeated inside the client: a reconcile that fails frees its thread, and the framework tries again. */
    private static KubernetesClient client(Config kubernetes) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(kubernetes)
                        .withRequestRetryBackoffLimit(0)
                        .withMaxConcurrentRequests(CONCURRENT_REQUESTS)
                        .build())
                .build();
    }

    private ReferencedSecrets secrets(
            Config kubernetes, KubernetesClient client, Set<String> namespaces, Consumer<String> onFailure) {
        try {
            return ReferencedSecrets.start(kubernetes, client, namespaces, failure -> {
                if (running) {
                    onFailure.accept("the watch of Secrets ended: " + rootMessage(failure));
                }
            });
        } catch (IllegalStateException failure) {
            throw new OperatorStartException(
                    "the operator cannot start: %s: %s".formatted(failure.getMessage(), rootMessage(failure)), failure);
        }
    }

    private LookUps lookUps(ControlPlaneOptions options) throws IOException {
        var threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("look-up-", 0).factory());
        var asking =
                keep(ControlPlaneClient.create(options.proxies(), TrustedAuthorities.with(options.caFile()), threads));
        return keep(new LookUps(
                asking,
                threads,
                InstantSource.system(),
                () -> ThreadLocalRandom.current().nextDouble()));
    }

    private Operator operator(
            KubernetesClient client,
            ReferencedSecrets secrets,
            LookUps lookUps,
            ReconcileThreads threads,
            OperatorOptions options,
            OperatorMetrics meters,
            Consumer<String> onFailure) {
        var resolver = new ConnectionResolver(options.controlPlane().access(), lookUps);
        var operator = new Operator(overrider -> configure(overrider, options, onFailure)
                .withKubernetesClient(client)
                .withExecutorService(threads.executor())
                .withMetrics(meters.reconciliations()));
        var events = new EventRecorder(client, eventThread(), clock);
        var namespaces = options.watchNamespaces();
        register(
                operator,
                RstreamConnection.class,
                client,
                new ConnectionReconciler(resolver, secrets, lookUps, events, clock),
                namespaces);
        register(
                operator,
                RstreamTunnel.class,
                client,
                new TunnelReconciler(resolver, secrets, options.agents(), namespaces, events, clock),
                namespaces);
        return operator;
    }

    /** Events are dropped rather than kept when the API server is slow: the status says the same. */
    private ExecutorService eventThread() {
        var thread = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(WAITING_EVENTS),
                Thread.ofPlatform().daemon().name("events-", 0).factory());
        thread.allowCoreThreadTimeOut(true);
        started.push(thread::shutdownNow);
        return thread;
    }

    private ConfigurationServiceOverrider configure(
            ConfigurationServiceOverrider overrider, OperatorOptions options, Consumer<String> onFailure) {
        overrider
                .withCloseClientOnStop(false)
                .withConcurrentWorkflowExecutorThreads(1)
                .withReconciliationTerminationTimeout(STOP_LIMIT)
                .withInformerStoppedHandler((informer, failure) -> {
                    if (running && failure != null) {
                        onFailure.accept("the watch of %s ended: %s"
                                .formatted(informer.getApiTypeClass().getSimpleName(), rootMessage(failure)));
                    }
                });
        var election = options.leaderElection();
        if (election != null) {
            overrider.withLeaderElectionConfiguration(leaderElection(election, onFailure));
        }
        return overrider;
    }

    /** The framework's own answer to a lost Lease is to exit the JVM; here the main class decides. */
    private LeaderElectionConfiguration leaderElection(
            OperatorOptions.LeaderElection election, Consumer<String> onFailure) {
        return LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(OperatorOptions.LEASE)
                .withLeaseNamespace(election.namespace())
                .withIdentity(election.identity())
                .withLeaderCallbacks(new LeaderCallbacks(
                        () -> log.atInfo()
                                .addKeyValue("identity", election.identity())
                                .log("Leading"),
                        () -> {
                            if (running) {
                                onFailure.accept("the Lease was lost to another operator or could not be renewed");
                            }
                        },
                        leader -> log.atInfo().addKeyValue("identity", leader).log("Leader known")))
                .buildForTest(false);
    }

    private static <R extends HasMetadata> void register(
            Operator operator,
            Class<R> kind,
            KubernetesClient client,
            Reconciler<R> reconciler,
            Set<String> namespaces) {
        operator.register(
                reconciler,
                overrider -> (namespaces.isEmpty()
                                ? overrider
                                        .watchingAllNamespaces()
                                        .withItemStore(
                                                new CompactItemStore<>(kind, client.getKubernetesSerialization()))
                                : overrider.settingNamespaces(namespaces))
                        .withRetry(new BackOff(
                                FIRST_RETRY,
                                LONGEST_RETRY,
                                () -> ThreadLocalRandom.current().nextDouble()))
                        .withRateLimiter(new LinearRateLimiter(RATE_PERIOD, RATE_LIMIT)));
    }

    /** Asks for one object: cheaper and clearer than an informer that fails. */
    private static void requireResource(
            KubernetesClient client, Class<? extends HasMetadata> kind, Set<String> namespaces) {
        var resource = HasMetadata.getPlural(kind) + "." + WellKnown.GROUP;
        var one = new ListOptionsBuilder().withLimit(1L).build();
        try {
            if (namespaces.isEmpty()) {
                var _ = client.resources(kind).inAnyNamespace().list(one);
            }
            for (var namespace : namespaces) {
                var _ = client.resources(kind).inNamespace(namespace).list(one);
            }
        } catch (KubernetesClientException failure) {
            throw new OperatorStartException(
                    failure.getCode() == 404
                            ? "the API server at %s does not know %s; install the custom resource definitions first"
                                            .formatted(client.getMasterUrl(), resource)
                                    + " (kubectl apply -f config/crd/bases)"
                            : "cannot list %s at %s: %s"
                                    .formatted(resource, client.getMasterUrl(), rootMessage(failure)),
                    failure);
        }
    }

    private static String rootMessage(Throwable failure) {
        var root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }
}
