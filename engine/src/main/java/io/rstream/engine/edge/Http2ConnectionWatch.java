package io.rstream.engine.edge;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What concerns an HTTP/2 connection as a whole: its window, its idle time, its end. Closing it sends GOAWAY first. */
final class Http2ConnectionWatch extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(Http2ConnectionWatch.class);

    private final Http2FrameCodec codec;
    private final int window;

    Http2ConnectionWatch(Http2FrameCodec codec, int window) {
        this.codec = codec;
        this.window = window;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        var _ = ctx.writeAndFlush(new DefaultHttp2WindowUpdateFrame(window - Http2CodecUtil.DEFAULT_WINDOW_SIZE));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        boolean idle = event instanceof IdleStateEvent && codec.connection().numActiveStreams() == 0;
        if (idle || HttpEdge.DRAIN.equals(event) || event instanceof SslCloseCompletionEvent) {
            var _ = ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        log.atDebug()
                .addKeyValue("remote", ctx.channel().remoteAddress())
                .addKeyValue("error", String.valueOf(cause.getMessage()))
                .log("HTTP/2 connection failed");
        var _ = ctx.close();
    }
}
