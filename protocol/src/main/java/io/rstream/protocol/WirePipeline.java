package io.rstream.protocol;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;

/**
 * Puts framing and messages into a Netty pipeline under fixed names, and takes them out when the channel turns into raw
 * bytes (rstream protocol, section 5). Everything here runs on the channel's event loop.
 */
public final class WirePipeline {
    /** The longest payload of a frame in bytes. */
    public static final int MAXIMUM_FRAME = 65_535;

    /** Bytes before the payload. */
    static final int HEADER = 4;

    private static final String DECODER = "rstream-decoder";
    private static final String ENCODER = "rstream-encoder";
    private static final String HELD_BYTES = "rstream-held-bytes";

    private WirePipeline() {}

    /**
     * Appends decoder and encoder. Handlers after them read and write {@link Message} objects; a {@code ByteBuf} that
     * they write goes out as it is. Malformed input arrives as {@link MalformedFrameException} in {@code exceptionCaught},
     * after which everything else that comes in is dropped: the owner has to close the channel.
     */
    public static void install(ChannelPipeline pipeline) {
        pipeline.addLast(DECODER, new FrameDecoder());
        pipeline.addLast(ENCODER, new FrameEncoder());
    }

    /**
     * Turns the channel into raw bytes. Call it inside the {@code channelRead} of the last handshake message: bytes that
     * came after that message are passed on from within this call to the next inbound handler, as {@code ByteBuf}.
     */
    public static void remove(ChannelPipeline pipeline) {
        pipeline.remove(ENCODER);
        pipeline.remove(DECODER);
    }

    /**
     * Turns the channel into raw bytes like {@link #remove}, but keeps what came after the last handshake message, and
     * whatever else comes, inside the pipeline until {@link #release} or {@link ByteRelay#join} ask for it. With auto-read
     * off this is at most what one read delivers.
     *
     * <p>A channel that never had the codec may be held too. TLS channels need it: right after the handshake TLS reads on
     * unasked until first data comes, which would be lost before the relay is there.
     */
    public static void hold(ChannelPipeline pipeline) {
        if (pipeline.get(DECODER) == null) {
            pipeline.addLast(HELD_BYTES, new HeldBytes());
        } else {
            pipeline.addAfter(DECODER, HELD_BYTES, new HeldBytes());
            remove(pipeline);
        }
    }

    /**
     * Passes on what {@link #hold} kept, from within this call, to the handlers behind the place of the codec. Does
     * nothing when nothing is held.
     */
    public static void release(ChannelPipeline pipeline) {
        ChannelHandler held = pipeline.get(HELD_BYTES);
        if (held != null) {
            pipeline.remove(held);
        }
    }
}
