package io.rstream.agent.session;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.ReferenceCountUtil;
import io.rstream.agent.connect.FailureText;
import io.rstream.protocol.HalfClose;
import io.rstream.protocol.LivenessException;
import io.rstream.protocol.Message;

/** Netty events of the control channel, passed on to the session. The last handler of its pipeline. */
final class ControlHandler extends ChannelInboundHandlerAdapter {
    private final TunnelSession session;

    ControlHandler(TunnelSession session) {
        this.session = session;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Message known) {
            session.received(known);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    /** An engine that does not take our answers gets no more questions answered until it does. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(ctx.channel().isWritable());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (HalfClose.inputEnd(ctx.channel(), event) != HalfClose.InputEnd.OPEN) {
            session.lost("the engine closed the connection");
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        session.lost("the engine closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        switch (cause) {
            case LivenessException silent -> session.lost(String.valueOf(silent.getMessage()));
            case DecoderException malformed ->
                session.lost("malformed data from the engine: " + FailureText.of(malformed));
            default -> session.lost(FailureText.of(cause));
        }
    }
}
