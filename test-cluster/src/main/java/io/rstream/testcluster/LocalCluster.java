package io.rstream.testcluster;

import io.fabric8.kubeapitest.KubeAPIServer;
import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubeapitest.KubeAPITestException;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A real kube-apiserver with its own etcd on loopback, started through kube-api-test, with RBAC on. No other controller runs but
 * the removal of deleted namespaces: nothing collects owned objects, makes pods, or fills Endpoints. Safe for use from any thread.
 *
 * <p>Both processes end with {@link #close}, with the JVM, and within a second or two after the JVM was killed hard.
 */
public final class LocalCluster implements AutoCloseable {

    private static final List<String> API_SERVER_FLAGS = List.of(
            // The servers are for this machine only, and no Endpoints object of "kubernetes" is needed.
            "--bind-address=127.0.0.1", "--endpoint-reconciler-type=none", "--profiling=false");

    private static final class Shared {
        static final LocalCluster CLUSTER = start();
    }

    private final KubeAPIServer server;
    private final ControlPlaneDirectory directory;
    private final Binaries binaries;
    private final URI apiServer;
    private final String adminToken;
    private final KubernetesClient client;
    private final NamespaceRemoval namespaceRemoval;
    private final Thread shutdownHook = new Thread(this::stop, "local-cluster-stop");

    private LocalCluster(
            KubeAPIServer server,
            ControlPlaneDirectory directory,
            Binaries binaries,
            URI apiServer,
            String adminToken) {
        this.server = server;
        this.directory = directory;
        this.binaries = binaries;
        this.apiServer = apiServer;
        this.adminToken = adminToken;
        this.client = new KubernetesClientBuilder().withConfig(config()).build();
        this.namespaceRemoval = new NamespaceRemoval(client);
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    /**
     * Starts a cluster of its own; takes a few seconds. Needs the control plane binaries: environment KUBE_API_TEST_DIR, or what
     * {@code hack/control-plane/provide.sh} provides.
     *
     * @throws IllegalStateException when it does not start; the message says where the servers' logs are
     */
    public static LocalCluster start() {
        var binaries = Binaries.provide(System.getenv("KUBE_API_TEST_DIR"), repositoryRoot());
        var token = new byte[24];
        new SecureRandom().nextBytes(token);
        var adminToken = HexFormat.of().formatHex(token);
        var directory = ControlPlaneDirectory.create(binaries, adminToken);
        var server = new KubeAPIServer(KubeAPIServerConfigBuilder.anAPIServerConfig()
                .withTestDir(directory.path().toString())
                .withOfflineMode(true)
                .withWaitForEtcdHealthCheckOnStartup(false)
                .withStartupTimeout(60_000)
                .withApiServerFlags(API_SERVER_FLAGS)
                .withApiServerFlag("--token-auth-file", directory.tokenFile().toString())
                .build());
        try {
            server.start();
        } catch (KubeAPITestException e) {
            stop(server);
            throw new IllegalStateException(
                    "the local API server does not start: %s; its logs are in %s"
                            .formatted(e.getMessage(), directory.path()),
                    e);
        }
        return new LocalCluster(server, directory, binaries, address(server), adminToken);
    }

    /** The cluster that all tests of this JVM share; started at the first call, stopped with the JVM. */
    public static LocalCluster shared() {
        return Shared.CLUSTER;
    }

    /** A client with all rights; closed with the cluster, so never close it yourself. */
    public KubernetesClient client() {
        return client;
    }

    /** How to reach the API server with all rights. */
    public Config config() {
        return configFor(adminToken);
    }

    /** How to reach the API server with a bearer token, for example from {@link #serviceAccountToken}. */
    public Config configFor(String bearerToken) {
        return clientConfig(apiServer, caCertificatePem(), bearerToken);
    }

    /** A whole kubeconfig file for the administrator; refers to no other file. */
    public String kubeconfigYaml() {
        return kubeconfigYaml(adminToken);
    }

    /** A whole kubeconfig file for whoever has the bearer token. */
    public String kubeconfigYaml(String bearerToken) {
        return kubeconfig(apiServer, caCertificatePem(), bearerToken);
    }

    /** The kubectl program that belongs to the API server's version. */
    public Path kubectl() {
        return binaries.kubectl();
    }

    /** For example {@code https://127.0.0.1:50123}. */
    public URI apiServer() {
        return apiServer;
    }

    /** The certificate that signs the API server's own, PEM. */
    public String caCertificatePem() {
        return directory.caCertificatePem();
    }

    /** Where {@code kube-apiserver.log} and {@code etcd.log} are while the cluster runs. */
    public Path logDirectory() {
        return directory.path();
    }

    /**
     * Applies a manifest file, or the {@code *.yaml} files directly inside a directory, by server-side apply. CRDs go first and are
     * waited for until they are established.
     */
    public void apply(Path manifestFileOrDirectory) {
        new Manifests(client).apply(manifestFileOrDirectory);
    }

    /** Applies the CRDs of this repository, {@code config/crd/bases}. */
    public void installCrds() {
        apply(repositoryRoot().resolve("config/crd/bases"));
    }

    /** Creates a namespace whose name begins with the prefix and is unique in this cluster. */
    public String createNamespace(String prefix) {
        var suffix = Long.toString(ThreadLocalRandom.current().nextLong(1L << 40, 1L << 41), 36);
        var name = prefix + "-" + suffix;
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
        return name;
    }

    /** Deletes a namespace with all it holds and waits until it is gone, at most 30 s. */
    public void deleteNamespace(String name) {
        client.namespaces().withName(name).withTimeout(30, TimeUnit.SECONDS).delete();
    }

    /**
     * A token for a ServiceAccount from the TokenRequest API.
     *
     * @param validity at least ten minutes, as the API server demands
     */
    public String serviceAccountToken(String namespace, String serviceAccount, Duration validity) {
        var request = new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(validity.toSeconds())
                .endSpec()
                .build();
        return client.serviceAccounts()
                .inNamespace(namespace)
                .withName(serviceAccount)
                .tokenRequest(request)
                .getStatus()
                .getToken();
    }

    /** The checkout: the first folder upwards from the working directory that holds {@code config/crd}. */
    public static Path repositoryRoot() {
        for (var folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("config/crd"))) {
                return folder;
            }
        }
        throw new IllegalStateException(
                "no folder with config/crd above " + Path.of("").toAbsolutePath() + "; start from inside the checkout");
    }

    /** Stops both servers and removes their files. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException _) {
            return; // The JVM is going down: the hook does the work.
        }
        stop();
    }

    private synchronized void stop() {
        namespaceRemoval.close();
        client.close();
        stop(server);
        directory.delete();
    }

    private static void stop(KubeAPIServer server) {
        try {
            server.stop();
        } catch (KubeAPITestException | UncheckedIOException _) {
            // It stopped by itself, as after Ctrl-C, and removes its data, which is all that is left to do here.
        }
    }

    static Config clientConfig(URI apiServer, String caCertificatePem, String bearerToken) {
        return new ConfigBuilder(Config.empty())
                .withMasterUrl(apiServer.toString())
                .withCaCertData(base64(caCertificatePem))
                .withOauthToken(bearerToken)
                .withNamespace("default")
                .build();
    }

    static String kubeconfig(URI apiServer, String caCertificatePem, String bearerToken) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                  - name: rstream-local
                    cluster:
                      server: %s
                      certificate-authority-data: %s
                users:
                  - name: rstream-local
                    user:
                      token: %s
                contexts:
                  - name: rstream-local
                    context: {cluster: rstream-local, user: rstream-local, namespace: default}
                current-context: rstream-local
                """.formatted(apiServer, base64(caCertificatePem), bearerToken);
    }

    String adminToken() {
        return adminToken;
    }

    private static URI address(KubeAPIServer server) {
        var admin = Config.fromKubeconfig(server.getKubeConfigYaml());
        return URI.create(admin.getMasterUrl().replaceAll("/$", ""));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
