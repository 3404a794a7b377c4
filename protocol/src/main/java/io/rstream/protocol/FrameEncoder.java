package io.rstream.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.EncoderException;

/** Messages to bytes, one buffer for header and payload; anything else passes unchanged. */
final class FrameEncoder extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object written, ChannelPromise promise) {
        if (!(written instanceof Message message)) {
            var _ = ctx.write(written, promise);
            return;
        }
        ByteBuf frame;
        try {
            frame = MessageCodec.encode(message, ctx.alloc());
        } catch (EncoderException e) {
            var _ = promise.setFailure(e);
            return;
        }
        var _ = ctx.write(frame, promise);
    }
}
