package io.rstream.agent.stream;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.rstream.agent.connect.DialException;
import io.rstream.agent.connect.EngineConnector;
import io.rstream.agent.connect.FailureText;
import io.rstream.protocol.ByteRelay;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.EngineAddress;
import io.rstream.protocol.Message.ProxyConnectionRequest;
import io.rstream.protocol.Message.ProxyRequest;
import io.rstream.protocol.RelayLimits;
import io.rstream.protocol.RelayOutcome;
import io.rstream.protocol.WirePipeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Opens one stream (rstream protocol, section 11.3). The Service comes first, so that a Service that is away costs no
 * connection to the engine and the engine hears the reason at once. Everything runs on one event loop, which later
 * carries both halves of the relay.
 *
 * <pre>
 *   dial Service -> connect to the engine (again after a time-out, while time is left) -> ProxyReq, zero-RTT -> relay
 *        | fails          | fails: close the Service's connection
 *        v                v
 *      a StreamRefusal
 * </pre>
 */
final class StreamOpening {
    private static final Duration MINIMUM = Duration.ofMillis(1);

    private final EventLoop loop;
    private final TargetMonitor target;
    private final EngineConnector connector;
    private final ProxyConnectionRequest request;
    private final ClientDetails client;
    private final Observer observer;
    private final ActiveStreams.Ticket ticket;
    private final StreamTimings timings;
    private final long deadlineNanos;

    StreamOpening(
            EventLoop loop,
            TargetMonitor target,
            EngineConnector connector,
            ProxyConnectionRequest request,
            ClientDetails client,
            ActiveStreams.Ticket ticket,
            StreamTimings timings,
            long deadlineNanos,
            Observer observer) {
        this.loop = loop;
        this.target = target;
        this.connector = connector;
        this.request = request;
        this.client = client;
        this.ticket = ticket;
        this.timings = timings;
        this.deadlineNanos = deadlineNanos;
        this.observer = observer;
    }

    /** Hears how it went, on the stream's event loop. */
    interface Observer {
        /** Both ends are joined; {@link #ended} follows. */
        void joined();

        /** There will be no stream. */
        void refused(StreamRefusal refusal);

        /** The relay is over and both ends are closed. */
        void ended(RelayOutcome outcome);
    }

    /** Starts; on the stream's event loop, once. */
    void start() {
        EngineAddress engine;
        try {
            engine = engine();
        } catch (StreamRefusal refusal) {
            observer.refused(refusal);
            return;
        }
        target.dial(loop, left()).addListener((Future<Channel> dialed) -> {
            if (dialed.isSuccess()) {
                connectToEngine(engine, dialed.getNow(), true);
            } else {
                observer.refused(StreamRefusal.ofUpstream(FailureText.of(dialed.cause())));
            }
        });
    }

    private EngineAddress engine() throws StreamRefusal {
        String endpoint = request.proxyEndpoint();
        if (endpoint == null) {
            return connector.engine();
        }
        if (endpoint.isBlank()) {
            throw StreamRefusal.of("proxy_endpoint is blank");
        }
        if (request.secret() == null || request.secret().isBlank()) {
            throw StreamRefusal.of("a redirected stream needs a secret");
        }
        try {
            return EngineAddress.parse(endpoint.strip());
        } catch (IllegalArgumentException e) {
            throw StreamRefusal.of("proxy_endpoint: " + e.getMessage());
        }
    }

    private void connectToEngine(EngineAddress engine, Channel service, boolean mayRepeat) {
        connector.connect(loop, engine, timings.attemptWithin(left())).addListener((Future<Channel> connected) -> {
            if (connected.isSuccess()) {
                join(connected.getNow(), service);
            } else if (mayRepeat
                    && isTimeout(connected.cause())
                    && service.isActive()
                    && left().compareTo(MINIMUM) > 0) {
                connectToEngine(engine, service, false);
            } else {
                var _ = service.close();
                observer.refused(StreamRefusal.of(FailureText.of(connected.cause())));
            }
        });
    }

    /** At least a moment, so that a time limit is always one. */
    private Duration left() {
        Duration left = Duration.ofNanos(deadlineNanos - loop.ticker().nanoTime());
        return left.compareTo(MINIMUM) < 0 ? MINIMUM : left;
    }

    private static boolean isTimeout(@Nullable Throwable cause) {
        return cause instanceof DialException dial && dial.isTimeout();
    }

    private void join(Channel engine, Channel service) {
        ticket.carriedBy(engine);
        var _ = engine.writeAndFlush(
                new ProxyRequest(client.withToken(request.secret()), request.streamId(), true), engine.voidPromise());
        WirePipeline.hold(engine.pipeline());
        observer.joined();
        ByteRelay.join(engine, service, new RelayLimits(timings.idle()))
                .addListener((Future<RelayOutcome> relayed) -> observer.ended(relayed.getNow()));
    }
}
