package io.rstream.engine.agents;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.EncoderException;
import io.netty.util.concurrent.Future;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.streams.Broker;
import io.rstream.engine.tunnels.Registry;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.engine.tunnels.TunnelOwner;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.Liveness;
import io.rstream.protocol.Message;
import io.rstream.protocol.Message.CloseControlChannelResponse;
import io.rstream.protocol.Message.CloseTunnelResponse;
import io.rstream.protocol.Message.OpenTunnelAccepted;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open control channel (protocol, section 10.9). Its state belongs to the channel's event loop; what {@link TunnelOwner}
 * offers is thread-safe.
 *
 * <pre>
 *   OPEN --CloseControlChannelReq--> CLOSING: tunnels removed, answer sent --flushed--> CLOSED
 *   OPEN --end, reset, bad frame, silence, expiry--> CLOSED: tunnels removed, their names kept for the principal for a
 *                                          time, waiting streams go to another session of the tunnel or fail,
 *                                          established ones go on
 * </pre>
 */
public final class AgentSession implements TunnelOwner {
    private static final Logger log = LoggerFactory.getLogger(AgentSession.class);
    /** A client without liveness sends a heartbeat every 5 minutes at the least (protocol, section 10.2). */
    private static final long LEGACY_SILENCE_NANOS = TimeUnit.MINUTES.toNanos(15);

    private static final int MISSED_HEARTBEATS = 2;
    private static final Duration EXPIRY_STEP = Duration.ofMinutes(10);

    private final Channel channel;
    private final String clientId;
    private final Identity identity;
    private final ClientDetails client;
    private final boolean bounded;
    private final AgentParts parts;
    private final EngineMetrics metrics;

    // Only the event loop of the control channel touches these.
    private final Map<String, Tunnel> tunnels = new HashMap<>();
    private int openings;
    private boolean heartbeatSeen;
    private @Nullable Future<?> expiryTimer;
    private String endReason = "the agent closed the connection";

    private volatile boolean online = true;
    private volatile long lastHeardNanos;
    private volatile long usualSilenceNanos;

    AgentSession(
            Channel channel,
            String clientId,
            Identity identity,
            ClientDetails client,
            @Nullable Liveness liveness,
            AgentParts parts) {
        this.channel = channel;
        this.clientId = clientId;
        this.identity = identity;
        this.client = client.withToken(null);
        this.bounded = liveness != null;
        this.parts = parts;
        this.metrics = parts.metrics();
        this.lastHeardNanos = nanoTime();
        this.usualSilenceNanos = liveness == null
                ? 0
                : TimeUnit.MILLISECONDS.toNanos((long) MISSED_HEARTBEATS * liveness.intervalMillis());
    }

    @Override
    public String clientId() {
        return clientId;
    }

    @Override
    public String principal() {
        return identity.principal();
    }

    @Override
    public @Nullable String user() {
        return identity.user();
    }

    /** Who opened the session. */
    public Identity identity() {
        return identity;
    }

    /** What the client says about itself, without its token. */
    public ClientDetails client() {
        return client;
    }

    @Override
    public boolean online() {
        return online;
    }

    @Override
    public boolean accepting() {
        return channel.isWritable();
    }

    @Override
    public long lastHeardNanos() {
        return lastHeardNanos;
    }

    @Override
    public long usualSilenceNanos() {
        return usualSilenceNanos;
    }

    @Override
    public void send(Message message) {
        if (online) {
            watch(channel.writeAndFlush(message));
        }
    }

    @Override
    public void lost(Tunnel tunnel) {
        loop().execute(() -> {
            if (tunnels.remove(tunnel.id(), tunnel)) {
                log.atInfo()
                        .addKeyValue("session", clientId)
                        .addKeyValue("tunnelId", tunnel.id())
                        .log("Tunnel taken over by a newer session");
                send(new CloseTunnelResponse(tunnel.id()));
            }
        });
    }

    /** Ends the session from the engine's side. Thread-safe. */
    public void end() {
        loop().execute(() -> endBecause("the engine stops"));
    }

    EventLoop loop() {
        return channel.eventLoop();
    }

    long nanoTime() {
        return channel.eventLoop().ticker().nanoTime();
    }

    /** Any frame arrived. */
    void heard(Message message) {
        long now = nanoTime();
        if (!bounded && message instanceof Message.Heartbeat) {
            heardLegacyHeartbeat(now);
        }
        lastHeardNanos = now;
    }

    /** One frame that is not about liveness. */
    void received(Message message) {
        switch (message) {
            case Message.OpenTunnelRequest request -> {
                openings++;
                new TunnelOpening(this, request, parts.tunnels()).start();
            }
            case Message.CloseTunnelRequest request -> closeTunnel(request.tunnelId());
            case Message.ProxyConnectionResponse response ->
                broker().proxyResponse(this, response.streamId(), response.error());
            case Message.CloseControlChannelRequest _ -> closeInOrder();
            case Message.OpenControlChannelRequest _ -> endBecause("a second OpenControlChannelReq");
            default ->
                log.atDebug()
                        .addKeyValue("session", clientId)
                        .addKeyValue("reason", message.kind())
                        .log("Message ignored");
        }
    }

    /** The channel is closed. */
    void closed() {
        if (leave(registry()::lose)) {
            log.atInfo()
                    .addKeyValue("session", clientId)
                    .addKeyValue("reason", endReason)
                    .log("Session closed");
        }
    }

    /** Ends the session at this time of the clock, with a word to the agent. Called once, on the event loop. */
    void endAt(Instant expiry) {
        Clock clock = parts.tunnels().clock();
        Duration remaining = Duration.between(clock.instant(), expiry);
        if (!remaining.isPositive()) {
            send(new Message.ServerMessage("The token has expired."));
            endBecause("the token has expired");
            return;
        }
        // In steps, since the clock may be set meanwhile and a delay of many years does not fit into nanoseconds.
        long step = remaining.compareTo(EXPIRY_STEP) < 0 ? remaining.toNanos() : EXPIRY_STEP.toNanos();
        expiryTimer = loop().schedule(() -> endAt(expiry), step, TimeUnit.NANOSECONDS);
    }

    void endBecause(String reason) {
        if (online) {
            endReason = reason;
            var _ = channel.close();
        }
    }

    int tunnelCount() {
        return tunnels.size() + openings - 1;
    }

    /**
     * The tunnel is reserved in all respects. The answer is queued before the public is let in, so that it comes before the
     * first stream request, and sent after, so that whoever has it finds the tunnel (protocol, section 10.3).
     */
    void opened(Tunnel tunnel, String requestId) {
        openings--;
        tunnels.put(tunnel.id(), tunnel);
        watch(channel.write(new OpenTunnelAccepted(requestId, tunnel.properties())));
        registry().publish(tunnel);
        channel.flush();
        log.atInfo()
                .addKeyValue("session", clientId)
                .addKeyValue("tunnelId", tunnel.id())
                .addKeyValue("name", tunnel.properties().name())
                .log("Tunnel online");
    }

    /** A request for a tunnel is answered with a refusal. */
    void refused(Message.OpenTunnelRefused refusal) {
        openings--;
        send(refusal);
        log.atInfo()
                .addKeyValue("session", clientId)
                .addKeyValue("reason", refusal.error().describe())
                .log("Tunnel refused");
    }

    /** An answer that cannot be encoded ends the session: the client would wait for it for ever. */
    private void watch(ChannelFuture written) {
        written.addListener(done -> {
            if (done.cause() instanceof EncoderException unsendable) {
                log.atWarn()
                        .addKeyValue("session", clientId)
                        .addKeyValue("error", unsendable.getMessage())
                        .log("Message cannot be sent");
                endBecause("a message to the agent does not fit in a frame");
            }
        });
    }

    private void closeTunnel(String tunnelId) {
        Tunnel tunnel = tunnels.remove(tunnelId);
        if (tunnel != null) {
            registry().remove(tunnel);
            broker().tunnelClosed(tunnel);
            log.atInfo()
                    .addKeyValue("session", clientId)
                    .addKeyValue("tunnelId", tunnelId)
                    .log("Tunnel closed");
        }
        // Also for an unknown id: Go clients drop the whole channel when no answer comes (protocol, section 10.4).
        send(new CloseTunnelResponse(tunnelId));
    }

    private void closeInOrder() {
        endReason = "the agent ended the session";
        if (leave(registry()::remove)) {
            log.atInfo()
                    .addKeyValue("session", clientId)
                    .addKeyValue("reason", endReason)
                    .log("Session closed");
            channel.writeAndFlush(new CloseControlChannelResponse()).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private boolean leave(Consumer<Tunnel> removal) {
        if (!online) {
            return false;
        }
        online = false;
        parts.sessions().remove(this);
        metrics.sessionClosed();
        if (expiryTimer != null) {
            expiryTimer.cancel(false);
        }
        tunnels.values().forEach(removal);
        tunnels.clear();
        broker().sessionLost(this);
        return true;
    }

    private void heardLegacyHeartbeat(long now) {
        if (heartbeatSeen) {
            usualSilenceNanos = Math.max(usualSilenceNanos, MISSED_HEARTBEATS * (now - lastHeardNanos));
        } else {
            heartbeatSeen = true;
            watchLegacySilence(LEGACY_SILENCE_NANOS);
        }
    }

    /** Without liveness nothing is agreed, so only a silence that no client can have is taken for death. */
    private void watchLegacySilence(long delayNanos) {
        var timer = loop().schedule(
                        () -> {
                            long remaining = lastHeardNanos + LEGACY_SILENCE_NANOS - nanoTime();
                            if (remaining > 0) {
                                watchLegacySilence(remaining);
                            } else {
                                endBecause("no heartbeat for 15 minutes");
                            }
                        },
                        delayNanos,
                        TimeUnit.NANOSECONDS);
        channel.closeFuture().addListener(_ -> timer.cancel(false));
    }

    private Registry registry() {
        return parts.tunnels().registry();
    }

    private Broker broker() {
        return parts.broker();
    }
}
