package io.rstream.e2e.install;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import io.rstream.process.Secret;
import io.rstream.protocol.EngineAddress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A namespace of its own for one test, with what a user would put into it. The names are those of the samples: connection {@code
 * default}, Secret {@code rstream-credentials}. Closing deletes all of it and waits until it is gone.
 */
public final class Tenant implements AutoCloseable {

    /** The Secret that {@link #connection} refers to, with key {@code token}. */
    public static final String CREDENTIALS = "rstream-credentials";

    private final Installation installation;
    private final KubernetesClient client;
    private final String namespace;
    private final Deque<HttpServer> servers = new ArrayDeque<>();

    private Tenant(Installation installation, String namespace) {
        this.installation = installation;
        this.client = installation.client();
        this.namespace = namespace;
    }

    /** A namespace whose name begins with the prefix, with nothing in it. */
    public static Tenant empty(Installation installation, String prefix) {
        return new Tenant(installation, installation.cluster().createNamespace(prefix));
    }

    /** A namespace with Secret, connection, a Service {@code web} that answers, and an HTTP tunnel {@code web} to it. */
    public static Tenant withWebTunnel(Installation installation, String prefix) {
        var tenant = empty(installation, prefix);
        tenant.secret(CREDENTIALS, installation.token());
        tenant.connection(installation.engine().address(), CREDENTIALS);
        tenant.service("web", "http", 8080);
        tenant.answer("web", 8080, tenant.greeting());
        tenant.httpTunnel("web", "web", "http");
        return tenant;
    }

    /** The namespace. */
    public String namespace() {
        return namespace;
    }

    /** What the server of {@link #withWebTunnel} answers. */
    public String greeting() {
        return "hello from " + namespace;
    }

    /** Creates or changes a Secret with key {@code token}. */
    public void secret(String name, Secret token) {
        apply("""
                apiVersion: v1
                kind: Secret
                metadata: {name: %s}
                stringData: {token: "%s"}
                """.formatted(name, token.reveal()));
    }

    /** Creates or changes the connection {@code default}. */
    public void connection(EngineAddress engine, String secret) {
        apply("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamConnection
                metadata: {name: default}
                spec: {engine: "%s", tokenSecretRef: {name: %s, key: token}}
                """.formatted(engine, secret));
    }

    /** Creates or changes a Service with one TCP port. */
    public void service(String name, String portName, int port) {
        apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: %s}
                spec: {selector: {app: %s}, ports: [{name: %s, port: %d}]}
                """.formatted(name, name, portName, port));
    }

    /** Creates or changes an HTTP tunnel. */
    public void httpTunnel(String name, String service, String port) {
        apply("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: %s}
                spec:
                  target: {service: {name: %s, port: %s}}
                  protocol: http
                  http: {version: http/1.1}
                """.formatted(name, service, port));
    }

    /** Starts a local server behind a Service that answers every GET with this text; stopped by {@link #close}. */
    public void answer(String service, int port, String text) {
        try {
            var address = new InetSocketAddress(installation.services().publish(namespace, service), port);
            var server = HttpServer.create(address, 0);
            var body = text.getBytes(StandardCharsets.UTF_8);
            server.createContext("/", exchange -> {
                try (exchange) {
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                }
            });
            server.start();
            servers.push(server);
        } catch (IOException e) {
            throw new UncheckedIOException("the server behind " + service + " does not start: " + e.getMessage(), e);
        }
    }

    /** Applies manifests to this namespace as a user would, by server-side apply. */
    public void apply(String manifests) {
        try (var text = new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8))) {
            for (HasMetadata object : client.load(text).items()) {
                object.getMetadata().setNamespace(namespace);
                client.resource(object).fieldManager("tenant").forceConflicts().serverSideApply();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** kubectl in this namespace. */
    public String kubectl(String... arguments) {
        var all = new String[arguments.length + 2];
        all[0] = "--namespace";
        all[1] = namespace;
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return installation.kubectl().run(all);
    }

    /** The status of a tunnel; empty when there is none. */
    public RstreamTunnelStatus status(String tunnel) {
        var found = client.resources(RstreamTunnel.class)
                .inNamespace(namespace)
                .withName(tunnel)
                .get();
        return found == null || found.getStatus() == null ? RstreamTunnelStatus.empty() : found.getStatus();
    }

    /** One condition of a tunnel. */
    public Optional<Condition> condition(String tunnel, ConditionType type) {
        return status(tunnel).conditions().stream()
                .filter(condition -> condition.is(type))
                .findFirst();
    }

    /** One condition of a tunnel as {@code <status> <reason>: <message>}; empty text when it is absent. */
    public String words(String tunnel, ConditionType type) {
        return condition(tunnel, type)
                .map(condition ->
                        "%s %s: %s".formatted(condition.status().value(), condition.reason(), condition.message()))
                .orElse("");
    }

    /** Where callers reach a tunnel; null while it is not online. */
    public @Nullable String address(String tunnel) {
        return status(tunnel).forwardingAddress();
    }

    /** The Deployment of a tunnel's agent. */
    public String agentDeployment(String tunnel) {
        var name = status(tunnel).agentDeployment();
        if (name == null) {
            throw new IllegalStateException("tunnel %s/%s has no agent yet".formatted(namespace, tunnel));
        }
        return name;
    }

    /** Fetches a tunnel's public address with curl. */
    public String call(String tunnel) throws IOException, InterruptedException {
        return call(tunnel, installation.engine().caFile());
    }

    /** Fetches a tunnel's public address at an engine with another authority. */
    public String call(String tunnel, Path caFile) throws IOException, InterruptedException {
        var address = address(tunnel);
        if (address == null) {
            throw new IllegalStateException("tunnel %s/%s has no address".formatted(namespace, tunnel));
        }
        return PublicCallers.curl(address, caFile);
    }

    @Override
    public void close() {
        var tunnels = client.resources(RstreamTunnel.class).inNamespace(namespace);
        tunnels.withTimeout(60, TimeUnit.SECONDS).delete();
        client.resources(RstreamConnection.class).inNamespace(namespace).delete();
        installation.cluster().deleteNamespace(namespace);
        servers.forEach(server -> server.stop(0));
    }
}
