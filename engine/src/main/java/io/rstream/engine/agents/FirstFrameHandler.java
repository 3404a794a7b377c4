package io.rstream.engine.agents;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.rstream.engine.streams.LastHandler;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.Heartbeats;
import io.rstream.protocol.Liveness;
import io.rstream.protocol.Message;
import io.rstream.protocol.Message.OpenControlChannelAccepted;
import io.rstream.protocol.Message.OpenControlChannelRefused;
import io.rstream.protocol.Message.OpenControlChannelRequest;
import io.rstream.protocol.ProtocolVersion;
import io.rstream.protocol.WireError;
import io.rstream.protocol.WirePipeline;
import java.security.cert.Certificate;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first message of a native connection decides what it is: a control channel, an agent's answer to a stream request, or
 * a dial (protocol, section 10.9). Everything else closes the connection, as does silence.
 */
public final class FirstFrameHandler extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(FirstFrameHandler.class);
    private static final String NAME = "first-frame";

    private final AgentParts parts;
    private final Dialing dialing;
    private @Nullable Future<?> deadline;

    private FirstFrameHandler(AgentParts parts) {
        this.parts = parts;
        this.dialing = new Dialing(parts);
    }

    /** Makes the pipeline of a native connection behind TLS: codec, then this handler. */
    public static void install(ChannelPipeline pipeline, AgentParts parts) {
        WirePipeline.install(pipeline);
        pipeline.addLast(NAME, new FirstFrameHandler(parts));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline = ctx.executor()
                .schedule(
                        () -> {
                            close(ctx.channel(), "no first message in time");
                        },
                        parts.firstFrame().toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel channel = ctx.channel();
        switch (message) {
            case OpenControlChannelRequest request -> openControlChannel(channel, request);
            case Message.ProxyRequest request -> {
                ctx.pipeline().remove(this);
                parts.broker().proxyRequest(channel, request);
            }
            case Message.StreamRequest request -> {
                ctx.pipeline().remove(this);
                dialing.dial(channel, request, certificate(channel));
            }
            case Message other -> {
                ctx.pipeline().remove(this);
                LastHandler.install(channel.pipeline());
                close(channel, "the first message is " + other.kind());
            }
            default -> ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        close(ctx.channel(), String.valueOf(cause.getMessage()));
    }

    private void openControlChannel(Channel channel, OpenControlChannelRequest request) {
        channel.pipeline().remove(this);
        ClientDetails client = request.client();
        var versionProblem = ProtocolVersion.refusal(client.protocolVersion());
        if (versionProblem.isPresent()) {
            refuse(channel, versionProblem.get());
            return;
        }
        switch (parts.authenticator().authenticate(client.token(), certificate(channel))) {
            case AuthenticationOutcome.Denied denied ->
                refuse(channel, new WireError(WireError.UNAUTHORIZED, denied.reason()));
            case AuthenticationOutcome.Admitted admitted -> open(channel, request, admitted);
        }
    }

    private void open(Channel channel, OpenControlChannelRequest request, AuthenticationOutcome.Admitted admitted) {
        Liveness wanted = request.liveness();
        Liveness liveness = wanted == null ? null : wanted.answer().orElse(null);
        AgentSession session =
                new AgentSession(channel, parts.ids().client(), admitted.identity(), request.client(), liveness, parts);
        Optional<WireError> refusal = parts.sessions().add(session);
        if (refusal.isPresent()) {
            refuse(channel, refusal.get());
            return;
        }
        parts.metrics().sessionOpened();
        log.atInfo()
                .addKeyValue("session", session.clientId())
                .addKeyValue("remote", channel.remoteAddress())
                .log("Session opened");
        var _ = channel.writeAndFlush(new OpenControlChannelAccepted(session.clientId(), parts.server(), liveness));
        AgentHandler.install(channel.pipeline(), session, Heartbeats.server(liveness));
        if (admitted.expiry() != null) {
            session.endAt(admitted.expiry());
        }
    }

    private static void refuse(Channel channel, WireError error) {
        log.atInfo()
                .addKeyValue("remote", channel.remoteAddress())
                .addKeyValue("reason", error.describe())
                .log("Session refused");
        channel.config().setAutoRead(false);
        LastHandler.install(channel.pipeline());
        channel.writeAndFlush(new OpenControlChannelRefused(error)).addListener(ChannelFutureListener.CLOSE);
    }

    private static void close(Channel channel, String reason) {
        log.atDebug()
                .addKeyValue("remote", channel.remoteAddress())
                .addKeyValue("reason", reason)
                .log("Native connection closed");
        var _ = channel.close();
    }

    private static @Nullable Certificate certificate(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            return null;
        }
        try {
            return tls.engine().getSession().getPeerCertificates()[0];
        } catch (SSLPeerUnverifiedException none) {
            return null;
        }
    }
}
