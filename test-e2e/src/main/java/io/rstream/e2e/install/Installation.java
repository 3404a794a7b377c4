package io.rstream.e2e.install;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.rstream.e2e.node.LocalNode;
import io.rstream.e2e.node.LocalServices;
import io.rstream.e2e.node.NodeSettings;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.e2e.process.JavaLaunch;
import io.rstream.e2e.process.JavaProcess;
import io.rstream.operator.OperatorMain;
import io.rstream.process.Secret;
import io.rstream.testcluster.FaultyApi;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A whole installation on this machine: API server with our definitions and roles, an engine process, an operator process that runs
 * under the shipped ServiceAccount, a local node, and loopback addresses for Services. Closing it stops everything in order.
 */
public final class Installation implements AutoCloseable {

    /** The operator's ServiceAccount, as {@code config/rbac} ships it. */
    public static final String OPERATOR_ACCOUNT = "rstream-operator-controller-manager";

    /** The operator's namespace, as {@code config/rbac} ships it. */
    public static final String OPERATOR_NAMESPACE = "rstream-system";

    private static final Duration OPERATOR_START = Duration.ofSeconds(60);
    private static final Duration OPERATOR_TOKEN = Duration.ofDays(7);

    private record RunningEngine(EngineProcess process, Secret token) {}

    private static final class Shared {
        static final Installation INSTALLATION = startShared();
    }

    private final InstallationSettings settings;
    private final Consumer<String> progress;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private @Nullable LocalCluster cluster;
    private @Nullable FaultyApi api;
    private @Nullable RunningEngine engine;
    private @Nullable JavaProcess operator;
    private @Nullable LocalServices services;
    private @Nullable LocalNode node;

    private Installation(InstallationSettings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * Starts everything.
     *
     * @param progress is told a sentence after each step
     * @param early is told the installation before anything starts, so that it can be closed while it starts
     * @throws IllegalStateException when a part does not start; what started before is stopped again
     */
    public static Installation start(
            InstallationSettings settings, Consumer<String> progress, Consumer<Installation> early) {
        var installation = new Installation(settings, progress);
        early.accept(installation);
        try {
            installation.startParts();
            return installation;
        } catch (IOException e) {
            installation.close();
            throw new UncheckedIOException(e.getMessage(), e);
        } catch (RuntimeException e) {
            installation.close();
            throw e;
        }
    }

    /** The installation that all tests of this JVM share; started at the first call, stopped with the JVM. */
    public static Installation shared() {
        return Shared.INSTALLATION;
    }

    /** A client with all rights that does not pass the {@link FaultyApi}. */
    public KubernetesClient client() {
        return cluster().client();
    }

    /** The API server. */
    public LocalCluster cluster() {
        return present(cluster);
    }

    /** The proxy through which operator and agents reach the API server. */
    public FaultyApi api() {
        return present(api);
    }

    /** The engine's process. */
    public EngineProcess engine() {
        return present(engine).process();
    }

    /** A token that the engine accepts, with all permissions. */
    public Secret token() {
        return present(engine).token();
    }

    /** The operator's process. */
    public JavaProcess operator() {
        return present(operator);
    }

    /** Loopback addresses of Services. */
    public LocalServices services() {
        return present(services);
    }

    /** What runs the agents. */
    public LocalNode node() {
        return present(node);
    }

    /** kubectl with all rights. */
    public Kubectl kubectl() {
        return new Kubectl(cluster().kubectl(), kubeconfig());
    }

    /** The administrator's kubeconfig file. */
    public Path kubeconfig() {
        return settings.directory().resolve("kubeconfig");
    }

    /** Where all logs of this installation are. */
    public Path directory() {
        return settings.directory();
    }

    /** Lets agents that start from now on trust another engine's authority as well. */
    public void trust(Path caFile) {
        try {
            Files.writeString(
                    trustedEngines(), Files.readString(caFile), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot extend " + trustedEngines() + ": " + e.getMessage(), e);
        }
    }

    private Path trustedEngines() {
        return settings.directory().resolve("trusted-engines.pem");
    }

    /** Starts the operator again after it was stopped. */
    public synchronized void startOperator() {
        try {
            var account = cluster().serviceAccountToken(OPERATOR_NAMESPACE, OPERATOR_ACCOUNT, OPERATOR_TOKEN);
            var file = settings.directory().resolve("operator.kubeconfig");
            writePrivately(
                    file,
                    settings.faulty()
                            ? api().kubeconfigYaml(account)
                            : cluster().kubeconfigYaml(account));
            var launch = JavaLaunch.of(
                            "operator",
                            OperatorMain.class.getName(),
                            "--kubeconfig=" + file,
                            "--control-plane-ca-file=" + engine().caFile(),
                            "--metrics-bind-address=0",
                            "--health-probe-bind-address=0")
                    .withJvmFlags(settings.operatorJvmFlags())
                    .withFolder(settings.directory());
            var process = JavaProcess.start(launch);
            operator = process;
            started.push(process);
            process.log().await("Operator started", line -> line.message().equals("Operator started"), OPERATOR_START);
        } catch (IOException e) {
            throw new UncheckedIOException("the operator does not start: " + e.getMessage(), e);
        }
    }

    /** Stops everything in reverse order. Safe to call twice and while it starts. */
    @Override
    public synchronized void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) { // AutoCloseable declares it; the other parts still have to stop
                progress.accept("a part did not stop cleanly: " + e.getMessage());
            }
        }
    }

    private void startParts() throws IOException {
        Files.createDirectories(InstallationSettings.engineDirectory(settings.directory()));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var startingEngine = CompletableFuture.supplyAsync(this::startEngine, threads);
            startCluster();
            installDefinitions();
            engine = joined(startingEngine);
        }
        var address = engine().address();
        progress.accept("Engine ready (https://%s)".formatted(address));
        startOperator();
        progress.accept("Operator ready (runs as %s)".formatted(OPERATOR_ACCOUNT));
        startNode();
        progress.accept("Local node ready");
    }

    private void startCluster() throws IOException {
        var begun = settings.ownCluster() ? keep(LocalCluster.start()) : LocalCluster.shared();
        cluster = begun;
        writePrivately(kubeconfig(), begun.kubeconfigYaml());
        if (settings.faulty()) {
            api = keep(FaultyApi.before(begun));
        }
        progress.accept("API server ready (%s)".formatted(begun.apiServer()));
    }

    private void installDefinitions() {
        cluster().installCrds();
        cluster().apply(LocalCluster.repositoryRoot().resolve("config/rbac"));
        progress.accept("Custom resource definitions and roles installed");
    }

    private RunningEngine startEngine() {
        try {
            var process = keep(EngineProcess.start(settings.engine()));
            return new RunningEngine(process, process.token());
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("the engine does not start: " + e.getMessage(), e);
        }
    }

    private void startNode() {
        services = new LocalServices(settings.directory());
        trust(engine().caFile());
        node = keep(LocalNode.start(
                new NodeSettings(
                        client(),
                        apiServerForAgents(),
                        settings.faulty() ? api().caCertificatePem() : cluster().caCertificatePem(),
                        settings.directory(),
                        trustedEngines(),
                        settings.agentJvmFlags()),
                services));
    }

    private URI apiServerForAgents() {
        return settings.faulty() ? api().uri() : cluster().apiServer();
    }

    private synchronized <T extends AutoCloseable> T keep(T part) {
        started.push(part);
        return part;
    }

    private static RunningEngine joined(CompletableFuture<RunningEngine> starting) {
        try {
            return starting.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static <T> T present(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("this part of the installation has not been started");
        }
        return part;
    }

    private static void writePrivately(Path file, String text) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.writeString(file, text);
    }

    private static Installation startShared() {
        try {
            var directory = Files.createTempDirectory("rstream-e2e-");
            var installation = start(InstallationSettings.forTests(directory), _ -> {}, _ -> {});
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                installation.close();
                deleteTree(directory);
            }));
            return installation;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes a directory with all it holds. */
    public static void deleteTree(Path root) {
        try (var files = Files.walk(root)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + root + ": " + e.getMessage(), e);
        }
    }
}
