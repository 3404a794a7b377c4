package io.rstream.engine.listen;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.rstream.engine.agents.AgentParts;
import io.rstream.engine.agents.FirstFrameHandler;
import io.rstream.engine.edge.HttpEdge;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.streams.LastHandler;
import io.rstream.protocol.TransportSecurity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** After the handshake the negotiated ALPN name decides which pipeline the connection gets; none means HTTP/1.1. */
final class ProtocolSelector extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(ProtocolSelector.class);

    private final AgentParts agents;
    private final HttpEdge edge;
    private final EngineMetrics metrics;
    private boolean failed;

    ProtocolSelector(AgentParts agents, HttpEdge edge) {
        this.agents = agents;
        this.edge = edge;
        this.metrics = agents.metrics();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
            ctx.fireUserEventTriggered(event);
        } else if (handshake.isSuccess()) {
            select(ctx.pipeline());
        } else {
            fail(ctx, handshake.cause());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(ctx, cause);
    }

    private void select(ChannelPipeline pipeline) {
        pipeline.remove(ConnectionGuard.class);
        pipeline.remove(this);
        if (agents.sessions().draining()) {
            log.atDebug()
                    .addKeyValue("remote", pipeline.channel().remoteAddress())
                    .addKeyValue("reason", "the engine stops")
                    .log("Connection closed");
            LastHandler.install(pipeline);
            var _ = pipeline.close();
            return;
        }
        String protocol = pipeline.get(SslHandler.class).applicationProtocol();
        if (TransportSecurity.ALPN_RSTREAM.equals(protocol)) {
            FirstFrameHandler.install(pipeline, agents);
        } else if ("h2".equals(protocol)) {
            edge.installHttp2(pipeline);
        } else {
            edge.installHttp1(pipeline);
        }
    }

    private void fail(ChannelHandlerContext ctx, Throwable cause) {
        if (!failed) {
            failed = true;
            metrics.handshakeFailed();
            log.atDebug()
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .addKeyValue("error", String.valueOf(cause.getMessage()))
                    .log("TLS handshake failed");
        }
        var _ = ctx.close();
    }
}
