package io.rstream.engine.agents;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.ReferenceCountUtil;
import io.rstream.protocol.HalfClose;
import io.rstream.protocol.Message;

/** Netty's side of an {@link AgentSession}: every callback is one call on the session. */
final class AgentHandler extends ChannelInboundHandlerAdapter {
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

    private final AgentSession session;

    private AgentHandler(AgentSession session) {
        this.session = session;
    }

    /** Appends, behind the codec: the ear that hears every frame, the heartbeats, the session. */
    static void install(ChannelPipeline pipeline, AgentSession session, ChannelHandler heartbeats) {
        pipeline.channel().config().setWriteBufferWaterMark(WATER_MARK);
        pipeline.addLast("ear", new Ear(session));
        pipeline.addLast("heartbeats", heartbeats);
        pipeline.addLast("agent", new AgentHandler(session));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Message frame) {
            session.received(frame);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        // An agent that does not read its answers is not asked for more, so that the queue to it stays bounded.
        ctx.channel().config().setAutoRead(ctx.channel().isWritable());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (HalfClose.inputEnd(ctx.channel(), event) != HalfClose.InputEnd.OPEN) {
            session.endBecause("the agent closed the connection");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        session.endBecause(String.valueOf(cause.getMessage()));
        var _ = ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        session.closed();
    }

    private static final class Ear extends ChannelInboundHandlerAdapter {
        private final AgentSession session;

        Ear(AgentSession session) {
            this.session = session;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Message frame) {
                session.heard(frame);
            }
            ctx.fireChannelRead(message);
        }
    }
}
