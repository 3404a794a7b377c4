package io.rstream.engine.edge;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;

/** The pipeline of one stream of an HTTP/2 connection: HTTP objects instead of frames, then the handler. */
@Sharable
final class Http2StreamInitializer extends ChannelInitializer<Channel> {
    /** There may be hundreds of streams on a connection, so each of them holds little. */
    private static final WriteBufferWaterMark RESPONSE_HELD = new WriteBufferWaterMark(16 * 1024, 32 * 1024);

    private final HttpEdge edge;

    Http2StreamInitializer(HttpEdge edge) {
        this.edge = edge;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.config().setAutoRead(false);
        channel.config().setWriteBufferWaterMark(RESPONSE_HELD);
        HttpEdge.readLittle(channel);
        channel.pipeline().addLast("objects", new Http2StreamFrameToHttpObjectCodec(true));
        channel.pipeline().addLast("http", new Http2StreamHandler(edge));
    }
}
