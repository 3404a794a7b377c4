package io.rstream.protocol;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Promise;

/** A handshake of one message, after which the channel is held and this handler is gone. */
final class HoldingHandshake extends SimpleChannelInboundHandler<Message> {
    private final Promise<Message> promise;

    HoldingHandshake(Promise<Message> promise) {
        this.promise = promise;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Message message) {
        WirePipeline.hold(ctx.pipeline());
        ctx.pipeline().remove(this);
        promise.setSuccess(message);
    }
}
