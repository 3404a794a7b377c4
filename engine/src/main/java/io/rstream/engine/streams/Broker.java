package io.rstream.engine.streams;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.concurrent.EventExecutor;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.metrics.EngineMetrics.RendezvousFailure;
import io.rstream.engine.metrics.EngineMetrics.StreamKind;
import io.rstream.engine.tunnels.Claim;
import io.rstream.engine.tunnels.Registry;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.engine.tunnels.TunnelIds;
import io.rstream.engine.tunnels.TunnelOwner;
import io.rstream.protocol.Message.ProxyConnectionRequest;
import io.rstream.protocol.Message.ProxyRequest;
import io.rstream.protocol.Message.ProxyResponse;
import io.rstream.protocol.WireError;
import io.rstream.protocol.WirePipeline;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks agents for streams and matches the connections with which they call back (protocol, section 11). Thread-safe. A
 * request waits for a limited time; a secret works once; a wrong secret changes nothing for the one who waits.
 */
public final class Broker {
    private static final Logger log = LoggerFactory.getLogger(Broker.class);

    private final Map<String, Rendezvous> waiting = new ConcurrentHashMap<>();
    private final Registry registry;
    private final TunnelIds ids;
    private final Duration timeout;
    private final int waitingLimit;
    private final int waitingPerTunnel;
    private final int streamsPerTunnel;
    private final EngineMetrics metrics;

    /**
     * A broker with its limits.
     *
     * @param registry where other claims on a tunnel are found
     * @param ids makes ids and secrets
     * @param timeout how long an agent may take to call back
     * @param waitingLimit how many requests of all tunnels may wait at a time
     * @param waitingPerTunnel how many requests of one tunnel may wait at a time, those whose asker has gone included, so
     *     that an agent that never calls back takes nothing from the other tunnels
     * @param streamsPerTunnel how many streams a tunnel may have at a time
     */
    public Broker(
            Registry registry,
            TunnelIds ids,
            Duration timeout,
            int waitingLimit,
            int waitingPerTunnel,
            int streamsPerTunnel,
            EngineMetrics metrics) {
        this.registry = registry;
        this.ids = ids;
        this.timeout = timeout;
        this.waitingLimit = waitingLimit;
        this.waitingPerTunnel = waitingPerTunnel;
        this.streamsPerTunnel = streamsPerTunnel;
        this.metrics = metrics;
    }

    /**
     * Asks the tunnel's agent for a stream, and if that one leaves or refuses the agents of other claims on the tunnel. Called
     * on the asker's executor.
     *
     * @param source address of the caller
     * @param kind who asks
     * @param asker where the outcome is delivered, and whose timer watches the time
     */
    public PendingStream open(Tunnel tunnel, InetAddress source, StreamKind kind, EventExecutor asker) {
        PendingStream pending = new PendingStream(this, source, kind, asker);
        pending.offer(tunnel);
        return pending;
    }

    /** Asks one agent. */
    Rendezvous ask(Tunnel tunnel, InetAddress source, PendingStream wanted) {
        String secret = ids.secret();
        Rendezvous rendezvous = new Rendezvous(tunnel, ids.stream(), secret, wanted);
        TunnelOwner owner = tunnel.owner();
        if (!tunnel.online() || !owner.online()) {
            rendezvous.complete(new StreamOutcome.AgentLost());
            return rendezvous;
        }
        if (!owner.accepting() || waiting.size() >= waitingLimit || !acquire(tunnel)) {
            rendezvous.complete(new StreamOutcome.Saturated());
            return rendezvous;
        }
        wait(rendezvous, wanted.asker());
        owner.send(new ProxyConnectionRequest(tunnel.id(), rendezvous.streamId(), secret, source, null));
        // Session or tunnel may have ended between the look above and the entry into the table.
        if (!owner.online()) {
            rendezvous.complete(new StreamOutcome.AgentLost());
        } else if (!tunnel.online()) {
            rendezvous.tunnelClosed();
        }
        return rendezvous;
    }

    /** Another claim that a stream may be offered to. */
    Optional<Tunnel> next(Tunnel tunnel, StreamKind kind, Collection<Tunnel> tried) {
        Claim.Kind foundBy = switch (kind) {
            case HTTP -> Claim.Kind.HOSTNAME;
            case TCP -> Claim.Kind.PORT;
            case DIAL -> Claim.Kind.NAME;
        };
        return registry.findOther(tunnel, foundBy, tried);
    }

    /**
     * An agent calls back. Called inside the {@code channelRead} of the message, on the channel's event loop; the channel is
     * taken over.
     */
    public void proxyRequest(Channel channel, ProxyRequest request) {
        Rendezvous rendezvous = waiting.get(request.streamId());
        if (rendezvous == null || !rendezvous.hasSecret(request.client().token()) || !leave(rendezvous)) {
            refuse(channel, request);
            return;
        }
        channel.config().setAutoRead(false);
        if (!request.zeroRtt()) {
            // Flushed alone, since old clients lose what comes together with it (protocol, section 5).
            var _ = channel.writeAndFlush(new ProxyResponse(null));
        }
        WirePipeline.hold(channel.pipeline());
        if (!rendezvous.join(channel)) {
            // Abandoned: the agent is let in and finds nobody there.
            var _ = channel.close();
        }
    }

    /** The agent's answer on its control channel; only a refusal means anything (protocol, section 11.2, rules 3 and 4). */
    public void proxyResponse(TunnelOwner owner, String streamId, @Nullable WireError error) {
        Rendezvous rendezvous = waiting.get(streamId);
        if (error != null && rendezvous != null && rendezvous.tunnel().owner().equals(owner)) {
            rendezvous.complete(new StreamOutcome.Refused(error));
        }
    }

    /** The session is over: nobody will call back any more. */
    public void sessionLost(TunnelOwner owner) {
        for (Rendezvous rendezvous : waiting.values()) {
            if (rendezvous.tunnel().owner().equals(owner)) {
                rendezvous.complete(new StreamOutcome.AgentLost());
            }
        }
    }

    /**
     * The agent takes no more streams of this tunnel: those that wait go to other claims on it. Where there are none, the agent
     * may still call back.
     */
    public void tunnelClosed(Tunnel tunnel) {
        for (Rendezvous rendezvous : waiting.values()) {
            if (rendezvous.tunnel().equals(tunnel)) {
                rendezvous.tunnelClosed();
            }
        }
    }

    private void wait(Rendezvous rendezvous, EventExecutor asker) {
        waiting.put(rendezvous.streamId(), rendezvous);
        rendezvous.timer(asker.schedule(
                () -> {
                    rendezvous.complete(new StreamOutcome.TimedOut());
                    leave(rendezvous);
                },
                timeout.toNanos(),
                TimeUnit.NANOSECONDS));
        rendezvous.outcome().addListener(done -> settled(rendezvous, (StreamOutcome) done.getNow()));
    }

    /** A place for a stream and a place in the table, or neither. */
    private boolean acquire(Tunnel tunnel) {
        if (!tunnel.acquireStream(streamsPerTunnel)) {
            return false;
        }
        if (!tunnel.acquireWaiting(waitingPerTunnel)) {
            tunnel.releaseStream();
            return false;
        }
        return true;
    }

    /** Takes the request out of the table and gives its place back; false when it was out already. */
    private boolean leave(Rendezvous rendezvous) {
        if (!waiting.remove(rendezvous.streamId(), rendezvous)) {
            return false;
        }
        rendezvous.tunnel().releaseWaiting();
        return true;
    }

    private void settled(Rendezvous rendezvous, StreamOutcome outcome) {
        Tunnel tunnel = rendezvous.tunnel();
        switch (outcome) {
            case StreamOutcome.Joined joined -> {
                rendezvous.cancelTimer();
                joined.channel().closeFuture().addListener(_ -> tunnel.releaseStream());
            }
            // Stays in the table until the timer, so that a late call back is accepted and closed.
            case StreamOutcome.Abandoned _, StreamOutcome.TunnelClosed _ -> tunnel.releaseStream();
            case StreamOutcome.Refused _,
                    StreamOutcome.TimedOut _,
                    StreamOutcome.AgentLost _,
                    StreamOutcome.Saturated _ -> {
                rendezvous.cancelTimer();
                leave(rendezvous);
                tunnel.releaseStream();
            }
        }
    }

    void reoffered(Tunnel from, Tunnel to) {
        metrics.reoffered();
        log.atDebug()
                .addKeyValue("tunnelId", from.id())
                .addKeyValue("nextTunnelId", to.id())
                .log("Stream offered to another session of the tunnel");
    }

    /** Counts how the search for an agent ended. */
    void count(Tunnel tunnel, StreamKind kind, StreamOutcome outcome) {
        switch (outcome) {
            case StreamOutcome.Joined joined -> {
                metrics.streamOpened(kind);
                joined.channel().closeFuture().addListener(_ -> metrics.streamClosed());
            }
            case StreamOutcome.Refused refused -> {
                log.atDebug()
                        .addKeyValue("tunnelId", tunnel.id())
                        .addKeyValue("reason", refused.error().describe())
                        .log("Agent refused a stream");
                metrics.rendezvousFailed(RendezvousFailure.REFUSED);
            }
            case StreamOutcome.TimedOut _ -> metrics.rendezvousFailed(RendezvousFailure.TIMEOUT);
            case StreamOutcome.AgentLost _, StreamOutcome.TunnelClosed _ ->
                metrics.rendezvousFailed(RendezvousFailure.AGENT_LOST);
            case StreamOutcome.Saturated _ -> metrics.rendezvousFailed(RendezvousFailure.CAPACITY);
            case StreamOutcome.Abandoned _ -> metrics.rendezvousFailed(RendezvousFailure.ABANDONED);
        }
    }

    private static void refuse(Channel channel, ProxyRequest request) {
        log.atDebug()
                .addKeyValue("remote", channel.remoteAddress())
                .addKeyValue("stream", request.streamId())
                .log("Stream connection refused: unknown stream or wrong secret");
        LastHandler.install(channel.pipeline());
        if (request.zeroRtt()) {
            var _ = channel.close();
            return;
        }
        channel.writeAndFlush(new ProxyResponse(
                        new WireError(WireError.INVALID_STREAM, "The stream is unknown, expired or used already.")))
                .addListener(ChannelFutureListener.CLOSE);
    }
}
