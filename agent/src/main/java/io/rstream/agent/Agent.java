package io.rstream.agent;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfig.Kubernetes;
import io.rstream.agent.connect.CredentialWatch;
import io.rstream.agent.connect.Credentials;
import io.rstream.agent.connect.Dialer;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.Backoff;
import io.rstream.agent.session.Reconnector;
import io.rstream.agent.session.SessionAttempts;
import io.rstream.agent.session.SessionTimings;
import io.rstream.agent.session.TunnelEvent;
import io.rstream.agent.status.AgentIdentity;
import io.rstream.agent.status.ReporterTimings;
import io.rstream.agent.status.StatusClient;
import io.rstream.agent.status.StatusReporter;
import io.rstream.agent.stream.ActiveStreams;
import io.rstream.agent.stream.StreamAcceptor;
import io.rstream.agent.stream.StreamLimits;
import io.rstream.agent.stream.StreamTimings;
import io.rstream.agent.stream.TargetMonitor;
import io.rstream.agent.stream.Upstream;
import io.rstream.process.Application;
import io.rstream.process.BindAddress;
import io.rstream.process.ExitCode;
import io.rstream.process.ManagementServer;
import io.rstream.process.ManagementServer.Endpoint;
import io.rstream.process.ManagementServer.Response;
import io.rstream.process.Readiness;
import io.rstream.protocol.BackgroundResolver;
import io.rstream.protocol.ClientDetails;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The wiring of the process, from top to bottom: event loops, health, status, tunnel. They stop in the other order, so the
 * status can still say that the agent is shutting down.
 */
final class Agent {
    private static final Logger log = LoggerFactory.getLogger(Agent.class);

    /** One loop carries several hundred MB a second; a second one keeps handshakes from delaying traffic. */
    private static final int EVENT_LOOPS = 2;

    private static final Duration STUCK = Duration.ofSeconds(30);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(22);
    private static final String TUNNEL = "tunnel";

    private final AgentConfig config;
    private final RetryPauses retry;
    private final AgentEnvironment environment;
    private final AgentIdentity agent;
    private final ClientDetails identity;
    private final Optional<BindAddress> healthAddress;
    private final Path serviceAccount;

    private final TunnelName name;
    private final Readiness readiness = new Readiness();
    private final LoopWatch watch = new LoopWatch(STUCK, System::nanoTime);
    private final ActiveStreams active = new ActiveStreams();
    private final AgentMetrics metrics;

    Agent(
            AgentConfig config,
            RetryPauses retry,
            AgentEnvironment environment,
            AgentIdentity agent,
            ClientDetails identity,
            Optional<BindAddress> healthAddress,
            Path serviceAccount) {
        this.config = config;
        this.retry = retry;
        this.environment = environment;
        this.agent = agent;
        this.identity = identity;
        this.healthAddress = healthAddress;
        this.serviceAccount = serviceAccount;
        this.name = new TunnelName(namespace(), tunnelName());
        this.metrics = new AgentMetrics(name, active);
    }

    /** Runs until a signal comes; returns the exit code. */
    int run() {
        StatusClient client;
        try {
            client = statusClient();
        } catch (IOException e) {
            name.on(log.atError()).addKeyValue("error", e.getMessage()).log("Failed to create Kubernetes client");
            return ExitCode.FAILURE;
        }
        readiness.set(TUNNEL, false, "starting");
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(EVENT_LOOPS, NioIoHandler.newFactory());
        watch.watch(loops);
        Reporting reporting = new Reporting();
        return new Application("agent", STOP_LIMIT)
                .part("event loops", () -> () -> stop(loops))
                .part("health server", this::startHealth)
                .part("status", () -> reporting.start(client))
                .part(TUNNEL, () -> startTunnel(loops, reporting))
                .run();
    }

    private AutoCloseable startHealth() throws IOException {
        if (healthAddress.isEmpty()) {
            return () -> {};
        }
        Endpoint healthz = () -> watch.isHealthy()
                ? ManagementServer.healthz().get()
                : Response.text(503, "an event loop has not run for " + STUCK.toSeconds() + " s\n");
        ManagementServer server = ManagementServer.start(
                healthAddress.get(),
                Map.of(
                        "/healthz", healthz,
                        "/readyz", ManagementServer.readyz(readiness::ready),
                        "/metrics", ManagementServer.metrics(metrics.registry())));
        name.on(log.atInfo())
                .addKeyValue("bind_address", healthAddress.get())
                .addKeyValue("port", server.port())
                .log("Starting health server");
        return server;
    }

    private AutoCloseable startTunnel(EventLoopGroup loops, Reporting reporting) {
        EventLoop control = loops.next();
        Dialer dialer = new Dialer(new BackgroundResolver());
        Upstream upstream = new Upstream(
                dialer,
                config.target().host().strip(),
                Integer.parseInt(config.target().port().strip()),
                Upstream.TIMEOUT);
        TargetMonitor target =
                TargetMonitor.of(upstream, control, TargetMonitor.Timings.DEFAULT, name, reporting::target);
        Credentials credentials =
                new Credentials(environment.token(), config.connection().mtls(), environment.trustFile());
        SessionAttempts attempts = new SessionAttempts(
                new SessionAttempts.Settings(config, credentials, environment.proxy(), identity, name),
                control,
                dialer,
                new StreamAcceptor.Shared(loops, target, StreamLimits.DEFAULT, StreamTimings.DEFAULT, active, name),
                SessionTimings.DEFAULT);
        Reconnector reconnector = new Reconnector(
                control,
                attempts,
                new Backoff(retry.initial(), retry.max(), RandomGenerator.getDefault()),
                event -> {
                    readiness.set(
                            TUNNEL,
                            event instanceof TunnelEvent.Online,
                            event.getClass().getSimpleName());
                    reporting.accept(event);
                },
                name,
                target.target());
        CredentialWatch credentialWatch = new CredentialWatch(
                Stream.concat(credentials.files().stream(), environment.proxy().files().stream())
                        .toList(),
                reconnector::credentialsChanged);
        reconnector.start();
        credentialWatch.start(CredentialWatch.PERIOD);
        return () -> {
            credentialWatch.close();
            stop(reconnector);
        };
    }

    private void stop(Reconnector reconnector) throws InterruptedException {
        boolean inTime =
                reconnector.close().await(SessionTimings.DEFAULT.longestClose().toMillis(), TimeUnit.MILLISECONDS);
        name.on(log.atInfo())
                .addKeyValue("streams", active.opened())
                .addKeyValue("failed", active.failed())
                .addKeyValue("failed_dials", active.failedDials())
                .addKeyValue("refused", active.refused())
                .addKeyValue("reason", inTime ? "orderly" : "time limit")
                .log("Tunnel closed");
    }

    private static void stop(EventLoopGroup loops) {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }

    private @Nullable StatusClient statusClient() throws IOException {
        if (!isKubernetesEnabled()) {
            return null;
        }
        if (environment.apiHost().isEmpty() || environment.apiPort().isEmpty()) {
            throw new IOException("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set;"
                    + " run the agent in a pod, or set kubernetes.enabled to false");
        }
        String host = environment.apiHost();
        URI server = URI.create(
                "https://%s:%s".formatted(host.indexOf(':') < 0 ? host : "[" + host + "]", environment.apiPort()));
        return StatusClient.of(server, serviceAccount, name.namespace(), name.name());
    }

    private boolean isKubernetesEnabled() {
        Kubernetes kubernetes = config.kubernetes();
        return kubernetes != null && Boolean.TRUE.equals(kubernetes.enabled());
    }

    /** The pod's own namespace wins over the file's (operator reference, section 4.6). */
    private String namespace() {
        Kubernetes kubernetes = config.kubernetes();
        if (!isKubernetesEnabled() || kubernetes == null) {
            return "";
        }
        return environment.podNamespace().isEmpty()
                ? String.valueOf(kubernetes.namespace()).strip()
                : environment.podNamespace();
    }

    private String tunnelName() {
        Kubernetes kubernetes = config.kubernetes();
        return isKubernetesEnabled() && kubernetes != null
                ? String.valueOf(kubernetes.tunnelName()).strip()
                : config.tunnel().name().strip();
    }

    /** Passes on what happens, to the reporter if there is one. */
    private final class Reporting implements Consumer<TunnelEvent> {
        private volatile @Nullable StatusReporter reporter;

        AutoCloseable start(@Nullable StatusClient client) {
            if (client == null) {
                return () -> {};
            }
            StatusReporter started = StatusReporter.start(
                    client, agent, name, ReporterTimings.DEFAULT, Clock.systemUTC(), RandomGenerator.getDefault());
            reporter = started;
            return started;
        }

        @Override
        public void accept(TunnelEvent event) {
            metrics.tunnel(event);
            StatusReporter started = reporter;
            if (started != null) {
                started.accept(event);
            }
        }

        void target(String error) {
            metrics.target(error);
            StatusReporter started = reporter;
            if (started != null) {
                started.target(error);
            }
        }
    }
}
