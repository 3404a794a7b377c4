package io.rstream.engine.edge;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.rstream.protocol.WirePipeline;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/1.1 connection of a caller. Reads are demand-driven; one request is handled at a time.
 *
 * <pre>
 *   WAITING --head--> ANSWERING --response complete--> WAITING, or closed
 *                         \--before the request's end--> DISCARDING --end of the request--> WAITING, or closed
 *   any --last answer given, but more to come from the caller--> LINGERING, see {@link LingeringClose}
 * </pre>
 */
final class Http1Handler extends ChannelInboundHandlerAdapter implements Downstream {
    private static final Logger log = LoggerFactory.getLogger(Http1Handler.class);
    /** How much of an unwanted body is read so that the connection stays usable, or at least the answer arrives. */
    private static final int MOST_DISCARDED = 256 * 1024;

    /** How much is read ahead of the answer to a request. */
    private static final int MOST_PIPELINED = 64 * 1024;

    private static final Duration LONGEST_DISCARDING = Duration.ofSeconds(5);

    private enum Phase {
        WAITING,
        ANSWERING,
        DISCARDING,
        LINGERING
    }

    private final HttpEdge edge;
    private final Http1RequestDecoder decoder;
    private final Http1ResponseEncoder encoder;
    private @Nullable ChannelHandlerContext context;

    private Phase phase = Phase.WAITING;
    private @Nullable HttpExchange exchange;
    private @Nullable HttpRequest request;
    private @Nullable Future<?> timer;
    private boolean keepAlive = true;
    private boolean headBegun;
    private boolean requestEnded;
    private boolean continued;
    private int discarded;

    Http1Handler(HttpEdge edge, Http1RequestDecoder decoder, Http1ResponseEncoder encoder) {
        this.edge = edge;
        this.decoder = decoder;
        this.encoder = encoder;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        decoder.onHeadBegun(this::headBegun);
        timer = schedule(edge.parts().timeouts().httpIdle(), () -> close("no request"));
        ctx.read();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        cancelTimer();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (phase == Phase.LINGERING) {
            // The last answer is given; a request whose end came just now must not be carried out.
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof HttpRequest head) {
            begin(head);
        }
        if (message instanceof HttpContent content) {
            content(content);
        } else if (!(message instanceof HttpRequest)) {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (phase == Phase.DISCARDING) {
            ctx.read();
        } else if (exchange != null && !requestEnded) {
            exchange.requestReadComplete();
        } else if (exchange != null && decoder.pipelinedBytes() < MOST_PIPELINED) {
            // Only so is the end of the caller noticed.
            ctx.read();
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
        if (HttpEdge.DRAIN.equals(event)) {
            keepAlive = false;
            if (phase == Phase.WAITING) {
                var _ = ctx.close();
            }
        } else if (event instanceof SslCloseCompletionEvent && phase != Phase.LINGERING) {
            var _ = ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        close(String.valueOf(cause.getMessage()));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        cancelTimer();
        HttpExchange current = exchange;
        exchange = null;
        if (current != null) {
            current.downstreamClosed();
        }
    }

    private void begin(HttpRequest head) {
        cancelTimer();
        headBegun = false;
        phase = Phase.ANSWERING;
        request = head;
        requestEnded = false;
        continued = false;
        discarded = 0;
        encoder.answering(head.method());
        if (head.decoderResult().isFailure()) {
            keepAlive = false;
            encoder.answering(HttpMethod.GET);
            EdgeAnswer answer = EdgeAnswer.undecodable(head.decoderResult().cause());
            edge.parts().metrics().requestAnswered(answer.status().code());
            write(answer.response());
            flush();
            linger();
            return;
        }
        keepAlive = HttpUtil.isKeepAlive(head) && !edge.draining();
        exchange = edge.exchange(this, head);
        exchange.start();
    }

    private void content(HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        requestEnded |= last;
        if (last && content.decoderResult().isFailure()) {
            keepAlive = false;
        }
        if (exchange != null) {
            exchange.requestContent(content);
            return;
        }
        discarded += content.content().readableBytes();
        content.release();
        if (phase == Phase.DISCARDING && last) {
            next();
        } else if (discarded > MOST_DISCARDED) {
            close("the rest of the request is too long to be skipped");
        }
    }

    @Override
    public EventLoop loop() {
        return context().channel().eventLoop();
    }

    @Override
    public InetAddress remote() {
        return ((InetSocketAddress) context().channel().remoteAddress()).getAddress();
    }

    @Override
    public boolean takesInformational() {
        return !isHttp10();
    }

    @Override
    public void write(HttpObject part) {
        if (part instanceof HttpResponse head) {
            if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
                continued |= head.status().code() == 100;
            } else {
                frame(head);
            }
        }
        var _ = context().write(part);
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
        flush();
        if (requestEnded) {
            next();
            return;
        }
        if (!keepAlive) {
            linger();
            return;
        }
        phase = Phase.DISCARDING;
        timer = schedule(LONGEST_DISCARDING, () -> close("the rest of the request does not come"));
        context().read();
    }

    @Override
    public void abort() {
        exchange = null;
        // An orderly end of TLS could be taken for the end of the body, so the connection is reset below TLS.
        context().channel().config().setOption(ChannelOption.SO_LINGER, 0);
        var _ = context().pipeline().firstContext().close();
    }

    @Override
    public Channel becomeRaw() {
        ChannelHandlerContext ctx = context();
        Channel channel = ctx.channel();
        exchange = null;
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        WirePipeline.hold(ctx.pipeline());
        ctx.pipeline().remove(this);
        ctx.pipeline().remove(encoder);
        ctx.pipeline().remove(decoder);
        return channel;
    }

    /** How the body ends and whether the connection stays (RFC 9112, sections 6 and 9). */
    private void frame(HttpResponse head) {
        HttpHeaders headers = head.headers();
        int status = head.status().code();
        boolean bodiless = isHead() || status == 204 || status == 304;
        if (!bodiless && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
            if (isHttp10()) {
                keepAlive = false;
            } else {
                headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
            }
        }
        if (!requestEnded && awaitsContinue() && !continued) {
            // The caller may or may not send its body now, so what comes next could not be told apart.
            keepAlive = false;
        }
        if (edge.draining()) {
            keepAlive = false;
        }
        if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (isHttp10()) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
    }

    private void next() {
        cancelTimer();
        ChannelHandlerContext ctx = context();
        if (!keepAlive) {
            var _ = ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        phase = Phase.WAITING;
        request = null;
        timer = schedule(edge.parts().timeouts().httpIdle(), () -> close("no further request"));
        // Later, since this may run inside the decoder's own call.
        ctx.executor().execute(() -> {
            ChannelHandlerContext decoding = ctx.pipeline().context(decoder);
            if (decoding == null || !ctx.channel().isActive()) {
                return;
            }
            try {
                decoder.resume(decoding);
            } catch (Exception failure) {
                close(String.valueOf(failure.getMessage()));
            }
            if (phase == Phase.WAITING) {
                ctx.read();
            }
        });
    }

    private void headBegun() {
        if (!headBegun) {
            headBegun = true;
            cancelTimer();
            timer = schedule(edge.parts().timeouts().requestHeader(), this::headTooSlow);
        }
    }

    private void headTooSlow() {
        keepAlive = false;
        write(EdgeAnswer.SLOW_REQUEST.response());
        flush();
        linger();
    }

    private void linger() {
        cancelTimer();
        phase = Phase.LINGERING;
        LingeringClose.begin(context().channel());
    }

    private boolean isHead() {
        return request != null && request.method().equals(HttpMethod.HEAD);
    }

    private boolean isHttp10() {
        return request != null && request.protocolVersion().minorVersion() == 0;
    }

    private boolean awaitsContinue() {
        return request != null && HttpUtil.is100ContinueExpected(request);
    }

    private void close(String reason) {
        log.atDebug()
                .addKeyValue("remote", context().channel().remoteAddress())
                .addKeyValue("reason", reason)
                .log("HTTP connection closed");
        var _ = context().close();
    }

    private Future<?> schedule(Duration delay, Runnable task) {
        return context().executor().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "the handler is in a pipeline");
    }
}
