package io.rstream.engine.edge;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream of an HTTP/2 connection, which carries one request. The window of the stream is given back only as the request's
 * body is read, and it is read only as the service takes it.
 */
final class Http2StreamHandler extends ChannelInboundHandlerAdapter implements Downstream {
    private static final Logger log = LoggerFactory.getLogger(Http2StreamHandler.class);

    private final HttpEdge edge;
    private @Nullable ChannelHandlerContext context;
    private @Nullable HttpExchange exchange;
    private @Nullable ChannelFuture lastWrite;
    private boolean requestEnded;

    Http2StreamHandler(HttpEdge edge) {
        this.edge = edge;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.fireChannelActive();
        ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        requestEnded |= message instanceof LastHttpContent;
        if (message instanceof HttpRequest head) {
            begin(head);
        } else if (message instanceof HttpContent content && exchange != null) {
            exchange.requestContent(content);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (exchange != null) {
            exchange.requestReadComplete();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (exchange != null && ctx.channel().isWritable()) {
            exchange.downstreamWritable();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2ResetFrame) {
            end();
            var _ = ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        log.atDebug()
                .addKeyValue("remote", ctx.channel().parent().remoteAddress())
                .addKeyValue("error", String.valueOf(cause.getMessage()))
                .log("HTTP/2 stream failed");
        end();
        reset(Http2Error.PROTOCOL_ERROR);
    }

    @Override
    public EventLoop loop() {
        return context().channel().eventLoop();
    }

    @Override
    public InetAddress remote() {
        return ((InetSocketAddress) context().channel().parent().remoteAddress()).getAddress();
    }

    @Override
    public boolean takesInformational() {
        return true;
    }

    @Override
    public void write(HttpObject part) {
        lastWrite = context().write(part);
    }

    @Override
    public void flush() {
        context().flush();
    }

    @Override
    public boolean isWritable() {
        return context().channel().isWritable();
    }

    @Override
    public long untaken() {
        Channel channel = context().channel();
        return channel.bytesBeforeWritable() - channel.bytesBeforeUnwritable();
    }

    @Override
    public void readRequest() {
        context().read();
    }

    @Override
    public void responseComplete() {
        exchange = null;
        ChannelFuture last = Objects.requireNonNull(lastWrite, "a response was written");
        ProgressWatch stall = new ProgressWatch(
                loop(), edge.parts().timeouts().httpIdle(), this::untaken, () -> reset(Http2Error.CANCEL));
        stall.begin();
        last.addListener(written -> {
            stall.end();
            if (written.isSuccess() && !requestEnded) {
                // RFC 9113, section 8.1: the rest of the request is not needed. Sent earlier it would overtake the
                // response, which waits for the caller's window.
                reset(Http2Error.NO_ERROR);
            }
        });
        flush();
    }

    @Override
    public void abort() {
        exchange = null;
        reset(Http2Error.INTERNAL_ERROR);
    }

    @Override
    public Channel becomeRaw() {
        throw new IllegalStateException("HTTP/2 has no Upgrade (RFC 9113, section 8.2.2)");
    }

    private void begin(HttpRequest head) {
        exchange = edge.exchange(this, head);
        exchange.start();
        if (head instanceof FullHttpRequest whole) {
            // Head and end in one object; taken as content it would be sent as a second request.
            whole.release();
            if (exchange != null) {
                exchange.requestContent(LastHttpContent.EMPTY_LAST_CONTENT);
            }
        }
    }

    private void end() {
        HttpExchange current = exchange;
        exchange = null;
        if (current != null) {
            current.downstreamClosed();
        }
    }

    private void reset(Http2Error error) {
        // Closing matters: what the caller has sent already waits in the channel and would stay there for ever.
        context().writeAndFlush(new DefaultHttp2ResetFrame(error)).addListener(ChannelFutureListener.CLOSE);
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "the handler is in a pipeline");
    }
}
