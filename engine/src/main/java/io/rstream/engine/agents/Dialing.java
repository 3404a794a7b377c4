package io.rstream.engine.agents;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.rstream.engine.metrics.EngineMetrics.StreamKind;
import io.rstream.engine.streams.StreamOutcome;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.protocol.ByteRelay;
import io.rstream.protocol.Message;
import io.rstream.protocol.Message.StreamAccepted;
import io.rstream.protocol.Message.StreamRefused;
import io.rstream.protocol.Message.StreamRequest;
import io.rstream.protocol.ProtocolVersion;
import io.rstream.protocol.RelayOutcome;
import io.rstream.protocol.WireError;
import io.rstream.protocol.WirePipeline;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client dials a tunnel (protocol, section 12). The answer, where one is wanted, follows the rendezvous, so that refusals
 * are reported. Bytes are relayed as they are, for private {@code http} tunnels too.
 */
final class Dialing {
    private static final Logger log = LoggerFactory.getLogger(Dialing.class);

    private static final int LONGEST_REASON = 1_024;

    private final AgentParts parts;

    Dialing(AgentParts parts) {
        this.parts = parts;
    }

    /** Called inside the {@code channelRead} of the request: what the client sent after it is kept for the agent. */
    void dial(Channel channel, StreamRequest request, @Nullable Certificate certificate) {
        channel.config().setAutoRead(false);
        WirePipeline.hold(channel.pipeline());
        Optional<WireError> versionProblem =
                ProtocolVersion.refusal(request.client().protocolVersion());
        if (versionProblem.isPresent()) {
            refuse(channel, request, versionProblem.get());
            return;
        }
        switch (parts.authenticator().authenticate(request.client().token(), certificate)) {
            case AuthenticationOutcome.Denied denied ->
                refuse(channel, request, new WireError(WireError.UNAUTHORIZED, denied.reason()));
            case AuthenticationOutcome.Admitted admitted -> dialAs(admitted.identity(), channel, request);
        }
    }

    private void dialAs(Identity identity, Channel channel, StreamRequest request) {
        if (!identity.may(Permission.CREATE_STREAMS)) {
            refuse(
                    channel,
                    request,
                    new WireError(WireError.UNAUTHORIZED, "The credential does not allow to open streams."));
            return;
        }
        if (request.datagramChannel()) {
            refuse(
                    channel,
                    request,
                    new WireError(WireError.INVALID_REQUEST, "QUIC datagrams are not available for this tunnel."));
            return;
        }
        Optional<Tunnel> tunnel = parts.tunnels().registry().findByIdOrName(request.tunnel());
        if (tunnel.isEmpty()) {
            refuse(channel, request, new WireError(WireError.TUNNEL_NOT_FOUND, "No such tunnel is online."));
            return;
        }
        parts.broker()
                .open(tunnel.get(), remote(channel), StreamKind.DIAL, channel.eventLoop())
                .outcome()
                .addListener(done -> settled(channel, request, (StreamOutcome) done.getNow()));
    }

    private void settled(Channel channel, StreamRequest request, StreamOutcome outcome) {
        switch (outcome) {
            case StreamOutcome.Joined joined -> joined(channel, request, joined);
            case StreamOutcome.Refused refused ->
                refuse(channel, request, unavailable("The agent refused the stream: " + text(refused.error())));
            case StreamOutcome.TimedOut _ ->
                refuse(channel, request, unavailable("The agent did not call back in time."));
            case StreamOutcome.AgentLost _, StreamOutcome.TunnelClosed _, StreamOutcome.Abandoned _ ->
                refuse(channel, request, unavailable("The agent is gone."));
            case StreamOutcome.Saturated _ ->
                refuse(
                        channel,
                        request,
                        new WireError(WireError.CAPACITY_EXHAUSTED, "The engine has as many streams as it allows."));
        }
    }

    private void joined(Channel channel, StreamRequest request, StreamOutcome.Joined joined) {
        if (!channel.isActive()) {
            var _ = joined.channel().close();
            return;
        }
        if (!request.zeroRtt()) {
            var _ = writeFramed(channel, new StreamAccepted(joined.streamId()));
        }
        ByteRelay.join(channel, joined.channel()).addListener(done -> {
            RelayOutcome outcome = (RelayOutcome) done.getNow();
            parts.metrics().sentToAgent(outcome.firstToSecond());
            parts.metrics().receivedFromAgent(outcome.secondToFirst());
        });
    }

    private static void refuse(Channel channel, StreamRequest request, WireError error) {
        log.atDebug()
                .addKeyValue("remote", channel.remoteAddress())
                .addKeyValue("reason", error.describe())
                .log("Dial refused");
        if (request.zeroRtt()) {
            var _ = channel.close();
        } else {
            writeFramed(channel, new StreamRefused(error)).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** The codec was taken out for the early bytes' sake; for one answer it comes back. */
    private static ChannelFuture writeFramed(Channel channel, Message message) {
        WirePipeline.install(channel.pipeline());
        ChannelFuture written = channel.writeAndFlush(message);
        WirePipeline.remove(channel.pipeline());
        return written;
    }

    private static WireError unavailable(String message) {
        return new WireError(WireError.SERVICE_UNAVAILABLE, message);
    }

    private static String text(WireError error) {
        String message = error.message();
        if (message == null) {
            return "no reason given.";
        }
        // As long as a frame it would not fit into the answer.
        return message.substring(0, Math.min(message.length(), LONGEST_REASON));
    }

    private static InetAddress remote(Channel channel) {
        return ((InetSocketAddress) channel.remoteAddress()).getAddress();
    }
}
