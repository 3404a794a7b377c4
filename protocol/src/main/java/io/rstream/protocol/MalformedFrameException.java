package io.rstream.protocol;

import io.netty.handler.codec.DecoderException;

/**
 * What the peer sent is not the protocol: a frame that is too long, cut off or not decodable. The connection is to be
 * dropped. This is the only exception that the inbound half of {@link WirePipeline} raises.
 */
public final class MalformedFrameException extends DecoderException {
    MalformedFrameException(String message) {
        super(message);
    }

    MalformedFrameException(String message, Throwable cause) {
        super(message, cause);
    }
}
