package io.rstream.engine.edge;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;

/** The pipeline of one stream of an HTTP/2 connection: HTTP objects instead of frames, then the handler. */
@Sharable
final class Http2StreamInitializer extends ChannelInitializer<Channel> {
    private final HttpEdge edge;

    Http2StreamInitializer(HttpEdge edge) {
        this.edge = edge;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.config().setAutoRead(false);
        channel.pipeline().addLast("objects", new Http2StreamFrameToHttpObjectCodec(true));
        channel.pipeline().addLast("http", new Http2StreamHandler(edge));
    }
}
