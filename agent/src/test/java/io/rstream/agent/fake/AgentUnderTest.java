package io.rstream.agent.fake;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfig.Connection;
import io.rstream.agent.config.AgentConfig.Mtls;
import io.rstream.agent.config.AgentConfig.Target;
import io.rstream.agent.config.AgentConfig.Transport;
import io.rstream.agent.config.AgentConfig.Tunnel;
import io.rstream.agent.connect.CredentialSource;
import io.rstream.agent.connect.CredentialWatch;
import io.rstream.agent.connect.Credentials;
import io.rstream.agent.connect.Dialer;
import io.rstream.agent.connect.ProxyCredentials;
import io.rstream.agent.connect.ProxyLogin;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.Backoff;
import io.rstream.agent.session.Reconnector;
import io.rstream.agent.session.SessionAttempts;
import io.rstream.agent.session.SessionTimings;
import io.rstream.agent.session.TunnelEvent;
import io.rstream.agent.stream.ActiveStreams;
import io.rstream.agent.stream.StreamAcceptor;
import io.rstream.agent.stream.StreamLimits;
import io.rstream.agent.stream.StreamTimings;
import io.rstream.agent.stream.TargetMonitor;
import io.rstream.agent.stream.Upstream;
import io.rstream.process.Secret;
import io.rstream.protocol.BackgroundResolver;
import io.rstream.protocol.ClientDetails;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The data path of an agent in this JVM, with short pauses: everything but flags, health and status. */
public final class AgentUnderTest implements AutoCloseable {
    public static final SessionTimings QUICK = new SessionTimings(
            Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofSeconds(5), 5_000);

    private static final String TOKEN = "RSTREAM_AUTHENTICATION_TOKEN";

    private static final TargetMonitor.Timings QUICK_TARGET =
            new TargetMonitor.Timings(3, Duration.ofHours(1), Duration.ofMillis(1));

    public final List<String> targetErrors = new CopyOnWriteArrayList<>();
    public final List<TunnelEvent> events = new CopyOnWriteArrayList<>();
    public final ActiveStreams active = new ActiveStreams();

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final Reconnector reconnector;
    private final CredentialWatch watch;
    private final SessionTimings timings;

    /**
     * What the tests vary.
     *
     * @param token {@link CredentialSource#NONE} for a client certificate
     */
    public record Setup(
            String engine,
            int servicePort,
            Path trustFile,
            CredentialSource token,
            @Nullable Mtls mtls,
            @Nullable Transport transport,
            ProxyLogin proxyLogin,
            SessionTimings timings,
            StreamLimits limits,
            StreamTimings streamTimings) {

        public static Setup of(FakeEngine engine, int servicePort, TestCertificates certificates) {
            return of(engine.address(), servicePort, certificates);
        }

        public static Setup of(String engine, int servicePort, TestCertificates certificates) {
            return new Setup(
                    engine,
                    servicePort,
                    certificates.authorityFile(),
                    token("good-token"),
                    null,
                    null,
                    ProxyLogin.NONE,
                    QUICK,
                    StreamLimits.DEFAULT,
                    StreamTimings.DEFAULT);
        }

        public Setup withToken(@Nullable String other) {
            return withToken(token(other));
        }

        /** With a token file, at which the agent looks many times a second. */
        public Setup withTokenFile(Path file) {
            return withToken(new CredentialSource(TOKEN, null, file));
        }

        private static CredentialSource token(@Nullable String value) {
            return CredentialSource.ofValue(TOKEN, value == null ? null : Secret.of(value));
        }

        private Setup withToken(CredentialSource other) {
            return new Setup(
                    engine, servicePort, trustFile, other, mtls, transport, proxyLogin, timings, limits, streamTimings);
        }

        public Setup withTimings(SessionTimings other) {
            return new Setup(
                    engine, servicePort, trustFile, token, mtls, transport, proxyLogin, other, limits, streamTimings);
        }

        public Setup withLimits(StreamLimits other) {
            return new Setup(
                    engine, servicePort, trustFile, token, mtls, transport, proxyLogin, timings, other, streamTimings);
        }

        public Setup withStreamTimings(StreamTimings other) {
            return new Setup(
                    engine, servicePort, trustFile, token, mtls, transport, proxyLogin, timings, limits, other);
        }

        public Setup withMtls(Mtls other) {
            return new Setup(
                    engine,
                    servicePort,
                    trustFile,
                    CredentialSource.NONE,
                    other,
                    transport,
                    proxyLogin,
                    timings,
                    limits,
                    streamTimings);
        }

        public Setup withTransport(Transport other, ProxyLogin login) {
            return new Setup(engine, servicePort, trustFile, token, mtls, other, login, timings, limits, streamTimings);
        }
    }

    private AgentUnderTest(Setup setup) {
        this.timings = setup.timings();
        EventLoop control = loops.next();
        Dialer dialer = new Dialer(new BackgroundResolver());
        TunnelName name = new TunnelName("shop", "web");
        Upstream upstream = new Upstream(dialer, "127.0.0.1", setup.servicePort(), Duration.ofSeconds(5));
        TargetMonitor target = TargetMonitor.of(upstream, control, QUICK_TARGET, name, targetErrors::add);
        Tunnel tunnel = new Tunnel(
                "shop-web",
                true,
                "http",
                "bytestream",
                null,
                null,
                null,
                null,
                Map.of("a", "b"),
                null,
                List.of(),
                List.of(),
                null,
                null);
        AgentConfig config = new AgentConfig(
                new Connection(setup.engine(), setup.mtls(), setup.transport()),
                tunnel,
                new Target("127.0.0.1", String.valueOf(setup.servicePort()), "TCP"),
                null,
                null);
        Credentials credentials = new Credentials(setup.token(), setup.mtls(), setup.trustFile());
        SessionAttempts.Settings settings = new SessionAttempts.Settings(
                config,
                credentials,
                new ProxyCredentials(
                        CredentialSource.ofValue("PROXY_U", setup.proxyLogin().username()),
                        CredentialSource.ofValue("PROXY_P", setup.proxyLogin().password())),
                new ClientDetails("test", "dev", "0", "linux", "amd64", null, "1.4.5"),
                name);
        reconnector = new Reconnector(
                control,
                new SessionAttempts(
                        settings,
                        control,
                        dialer,
                        new StreamAcceptor.Shared(loops, target, setup.limits(), setup.streamTimings(), active, name),
                        timings),
                new Backoff(Duration.ofMillis(100), Duration.ofMillis(400), new Random(1)),
                events::add,
                name,
                upstream.target());
        watch = new CredentialWatch(credentials.files(), reconnector::credentialsChanged);
        reconnector.start();
        watch.start(Duration.ofMillis(50));
    }

    public static AgentUnderTest start(Setup setup) {
        return new AgentUnderTest(setup);
    }

    public List<TunnelEvent.Online> online() {
        return events.stream()
                .filter(TunnelEvent.Online.class::isInstance)
                .map(TunnelEvent.Online.class::cast)
                .toList();
    }

    public List<String> errors() {
        return events.stream()
                .filter(TunnelEvent.Disconnected.class::isInstance)
                .map(event -> ((TunnelEvent.Disconnected) event).error())
                .toList();
    }

    /** What SIGTERM does; does not wait. */
    public io.netty.util.concurrent.Future<Void> terminate() {
        return reconnector.close();
    }

    @Override
    public void close() {
        watch.close();
        reconnector.close().awaitUninterruptibly(timings.longestClose().toMillis(), TimeUnit.MILLISECONDS);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
