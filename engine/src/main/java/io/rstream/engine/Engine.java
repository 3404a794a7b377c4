package io.rstream.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rstream.engine.agents.AgentParts;
import io.rstream.engine.agents.Authenticator;
import io.rstream.engine.agents.Sessions;
import io.rstream.engine.agents.Tokens;
import io.rstream.engine.agents.TunnelDesk;
import io.rstream.engine.api.EngineApi;
import io.rstream.engine.api.Project;
import io.rstream.engine.config.ConfigException;
import io.rstream.engine.config.EngineConfig;
import io.rstream.engine.edge.HttpEdge;
import io.rstream.engine.edge.HttpParts;
import io.rstream.engine.edge.TcpEdge;
import io.rstream.engine.listen.Certificates;
import io.rstream.engine.listen.Listener;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.streams.Broker;
import io.rstream.engine.tunnels.Hostnames;
import io.rstream.engine.tunnels.PropertyRules;
import io.rstream.engine.tunnels.Registry;
import io.rstream.engine.tunnels.Reservations;
import io.rstream.engine.tunnels.TcpPorts;
import io.rstream.engine.tunnels.TunnelIds;
import io.rstream.process.Secret;
import io.rstream.protocol.CertificateFiles;
import io.rstream.protocol.ServerDetails;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running engine: the wiring of its parts, and the order in which they stop. */
public final class Engine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Engine.class);
    private static final long SHUTDOWN_MILLIS = 5_000;
    private static final long QUIET_MILLIS = 100;

    private final Duration drainLimit;
    private final ScheduledExecutorService fileWatcher;
    private final EventLoopGroup acceptors = eventLoops(1, "accept");
    private final EventLoopGroup workers = eventLoops(0, "io");
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Sessions sessions;
    private final HttpEdge edge;
    private final Certificates certificates;
    private final Listener listener;

    private Engine(EngineConfig config, MeterRegistry meters, Clock clock)
            throws ConfigException, IOException, GeneralSecurityException, InterruptedException {
        EngineConfig.Limits limits = config.limits();
        EngineConfig.Timeouts timeouts = config.timeouts();
        EngineMetrics metrics = new EngineMetrics(meters);
        TunnelIds ids = new TunnelIds(new SecureRandom());
        Registry registry = new Registry(
                metrics, new Reservations(timeouts.reservation(), System::nanoTime), limits.claimsPerTunnel());
        Authenticator authenticator = authenticator(config.auth(), clock);
        AtomicInteger publicPort = new AtomicInteger();
        drainLimit = timeouts.drain();
        sessions = new Sessions(limits.sessions());
        fileWatcher = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("certificates", true));
        try {
            certificates = Certificates.watch(
                    new CertificateFiles(
                            config.tls().certificateFile(), config.tls().keyFile()),
                    fileWatcher);
            Broker broker = new Broker(
                    registry,
                    ids,
                    timeouts.streamRequest(),
                    limits.waitingStreams(),
                    limits.waitingStreamsPerTunnel(),
                    limits.streamsPerTunnel(),
                    metrics);
            TunnelDesk desk = new TunnelDesk(
                    registry,
                    new PropertyRules(config.tcp() != null),
                    new Hostnames(config.host(), config.tunnelDomain()),
                    tcpPorts(config.tcp(), new TcpEdge(registry, broker, metrics, connections, limits.connections())),
                    publicPort::get,
                    ids,
                    clock,
                    limits.tunnelsPerSession(),
                    metrics);
            AgentParts agents = new AgentParts(
                    authenticator, sessions, desk, broker, ids, metrics, serverDetails(), timeouts.firstFrame());
            EngineApi api =
                    new EngineApi(authenticator, registry, sessions, new Project(config.host(), publicPort::get));
            edge = new HttpEdge(new HttpParts(config.host(), api, registry, broker, metrics, timeouts, limits));
            listener = Listener.bind(
                    config.listen(),
                    acceptors,
                    workers,
                    new Listener.Setup(
                            certificates, agents, edge, connections, limits.connections(), timeouts.handshake()));
            Integer configured = config.publicPort();
            publicPort.set(configured == null ? port() : configured);
        } catch (IOException | GeneralSecurityException | InterruptedException | RuntimeException failure) {
            stopThreads();
            throw failure;
        }
    }

    /**
     * Starts an engine; it accepts connections when this returns.
     *
     * @param meters where figures are registered
     * @throws ConfigException when a file that the configuration names is of no use
     * @throws IOException when a file cannot be read or the address is in use
     * @throws GeneralSecurityException when the certificate is of no use
     */
    public static Engine start(EngineConfig config, MeterRegistry meters, Clock clock)
            throws ConfigException, IOException, GeneralSecurityException, InterruptedException {
        Engine engine = new Engine(config, meters, clock);
        log.atInfo()
                .addKeyValue("address", engine.address().getAddress().getHostAddress())
                .addKeyValue("port", engine.port())
                .addKeyValue("host", config.host())
                .log("Engine listening");
        return engine;
    }

    /** The public address that is really bound. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** The public port that is really bound. */
    public int port() {
        return address().getPort();
    }

    /**
     * Stops: accepts no more, ends control channels, lets requests and streams finish within the drain limit, then closes
     * what is left.
     */
    @Override
    public void close() throws InterruptedException {
        listener.close();
        edge.drain();
        sessions.closeAll();
        connections.forEach(channel -> channel.pipeline().fireUserEventTriggered(HttpEdge.DRAIN));
        if (!awaitConnections()) {
            log.atWarn().addKeyValue("reason", "drain limit reached").log("Streams are cut off");
            connections.close().await(SHUTDOWN_MILLIS);
        }
        certificates.close();
        stopThreads();
        log.atInfo().log("Engine stopped");
    }

    /** Reads the token secret of a configuration; null when it names none. */
    static @Nullable Tokens tokens(EngineConfig.Auth auth, Clock clock) throws ConfigException {
        Path file = auth.tokenSecretFile();
        if (file == null) {
            return null;
        }
        try {
            return new Tokens(Secret.of(Files.readString(file).strip()), clock);
        } catch (IOException unreadable) {
            throw new ConfigException(
                    "auth.tokenSecretFile " + file
                            + " cannot be read; check that it exists and its permissions, it holds the secret that signs tokens");
        } catch (IllegalArgumentException tooShort) {
            throw new ConfigException("auth.tokenSecretFile " + file + ": " + tooShort.getMessage());
        }
    }

    private static Authenticator authenticator(EngineConfig.Auth auth, Clock clock) throws ConfigException {
        return new Authenticator(tokens(auth, clock), auth.requireToken(), auth.certificates());
    }

    private @Nullable TcpPorts tcpPorts(EngineConfig.@Nullable Tcp tcp, TcpEdge tcpEdge) {
        return tcp == null
                ? null
                : new TcpPorts(
                        tcp.bindAddress(), tcp.host(), tcp.firstPort(), tcp.lastPort(), acceptors, workers, tcpEdge);
    }

    private static ServerDetails serverDetails() {
        return new ServerDetails("rstream-operator-engine", "stable", EngineVersion.CURRENT, null, null, null, null);
    }

    private boolean awaitConnections() throws InterruptedException {
        return connections.newCloseFuture().await(drainLimit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void stopThreads() {
        fileWatcher.shutdownNow();
        // A loop that ends at once would refuse what the others still have to tell it.
        var _ = acceptors.shutdownGracefully(QUIET_MILLIS, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS);
        workers.shutdownGracefully(QUIET_MILLIS, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(SHUTDOWN_MILLIS);
    }

    private static EventLoopGroup eventLoops(int threads, String name) {
        return new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory("engine-" + name), NioIoHandler.newFactory());
    }
}
