package io.rstream.agent.session;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.connect.AttemptException;
import io.rstream.agent.connect.Credentials;
import io.rstream.agent.connect.Dialer;
import io.rstream.agent.connect.EngineConnector;
import io.rstream.agent.connect.FailureText;
import io.rstream.agent.connect.ProxyCredentials;
import io.rstream.agent.connect.TransportSettings;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.stream.StreamAcceptor;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.EngineAddress;
import io.rstream.protocol.TunnelProperties;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares attempts: checks the configuration and reads the credentials on a virtual thread, since that blocks, and hands
 * the rest to a {@link TunnelSession} on the event loop. Thread-safe.
 */
public final class SessionAttempts implements Reconnector.Attempts {
    private static final Logger log = LoggerFactory.getLogger(SessionAttempts.class);

    /**
     * What an agent is given when it starts.
     *
     * @param config its file
     * @param credentials who it is
     * @param proxy user of the HTTP proxy
     * @param client what it says about itself, without a token
     * @param name its tunnel object
     */
    public record Settings(
            AgentConfig config,
            Credentials credentials,
            ProxyCredentials proxy,
            ClientDetails client,
            TunnelName name) {}

    private final Settings settings;
    private final EventLoop loop;
    private final Dialer dialer;
    private final StreamAcceptor.Shared streams;
    private final SessionTimings timings;
    private final AtomicBoolean toldAboutMultipath = new AtomicBoolean();

    /** Attempts whose control channels live on {@code loop}. */
    public SessionAttempts(
            Settings settings, EventLoop loop, Dialer dialer, StreamAcceptor.Shared streams, SessionTimings timings) {
        this.settings = settings;
        this.loop = loop;
        this.dialer = dialer;
        this.streams = streams;
        this.timings = timings;
    }

    @Override
    public Reconnector.Attempt begin(Reconnector.Listener listener) {
        TunnelSession session = new TunnelSession(loop, streams, timings, settings.name(), listener);
        Thread.ofVirtual().name("attempt").start(() -> prepare(session));
        return session;
    }

    @Override
    public Future<?> drain() {
        return streams.active().drain(loop, timings.drain());
    }

    private void prepare(TunnelSession session) {
        try {
            SessionPlan plan = plan();
            loop.execute(() -> session.start(plan));
        } catch (AttemptException e) {
            loop.execute(() -> session.fail(e));
        } catch (RuntimeException e) {
            String fault = FailureText.ofFault(e);
            settings.name().on(log.atError()).addKeyValue("error", fault).log("An attempt failed unexpectedly");
            loop.execute(() -> session.fail(AttemptException.passing(fault)));
        }
    }

    private SessionPlan plan() throws AttemptException {
        AgentConfig config = settings.config();
        TunnelProperties wanted = TunnelRequest.of(config.tunnel());
        checkTarget(config.target());
        TransportSettings transport = TransportSettings.of(
                config.connection().transport(), settings.proxy().read());
        if (transport.multipath() && toldAboutMultipath.compareAndSet(false, true)) {
            settings.name()
                    .on(log.atWarn())
                    .log("transport.mptcp is not supported by this agent yet; ordinary TCP is used");
        }
        Credentials.Loaded credentials = settings.credentials().load();
        EngineConnector connector =
                new EngineConnector(dialer, transport, credentials.tls(), engine(config), timings.connect());
        ClientDetails client = settings.client()
                .withToken(
                        credentials.token() == null ? null : credentials.token().reveal());
        return new SessionPlan(connector, client, wanted);
    }

    private static EngineAddress engine(AgentConfig config) throws AttemptException {
        try {
            return EngineAddress.parse(config.connection().engine().strip());
        } catch (IllegalArgumentException e) {
            throw AttemptException.permanent("connection.engine: " + e.getMessage());
        }
    }

    private static void checkTarget(AgentConfig.Target target) throws AttemptException {
        String protocol = target.protocol();
        if (protocol != null && protocol.strip().equalsIgnoreCase("UDP")) {
            throw AttemptException.permanent(
                    "target.protocol \"UDP\" is not supported by this agent yet; use a TCP port of the Service");
        }
        if (protocol != null && !protocol.isBlank() && !protocol.strip().equalsIgnoreCase("TCP")) {
            throw AttemptException.permanent("invalid target.protocol \"" + protocol.strip() + "\" (valid: TCP, UDP)");
        }
    }
}
