package io.rstream.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Bytes to messages. Refuses a length before it waits for the payload, and reads nothing more after a malformed frame.
 * Removed from the pipeline it passes the bytes that it has not read on.
 */
final class FrameDecoder extends ByteToMessageDecoder {
    private boolean broken;

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (broken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (in.readableBytes() < WirePipeline.HEADER) {
            return;
        }
        long length = in.getUnsignedInt(in.readerIndex());
        if (length > WirePipeline.MAXIMUM_FRAME) {
            throw malformed(
                    in,
                    "a frame of %d bytes is too long; at most %d bytes are allowed"
                            .formatted(length, WirePipeline.MAXIMUM_FRAME));
        }
        if (in.readableBytes() < WirePipeline.HEADER + length) {
            return;
        }
        in.skipBytes(WirePipeline.HEADER);
        try {
            out.add(MessageCodec.decode(in.readSlice((int) length)));
        } catch (MalformedFrameException e) {
            broken = true;
            throw e;
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        decode(ctx, in, out);
        if (in.isReadable() && out.isEmpty()) {
            throw malformed(in, "the connection ended inside a frame");
        }
    }

    private MalformedFrameException malformed(ByteBuf in, String message) {
        broken = true;
        in.skipBytes(in.readableBytes());
        return new MalformedFrameException(message);
    }
}
