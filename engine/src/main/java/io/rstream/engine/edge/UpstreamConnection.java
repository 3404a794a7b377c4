package io.rstream.engine.edge;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.protocol.HalfClose;
import io.rstream.protocol.WirePipeline;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/1.1 connection to a service through an agent's stream, used by one exchange at a time. Its handler state belongs
 * to the channel's event loop; what exchanges call is thread-safe, and what they hear comes on their own event loop.
 *
 * <pre>
 *   LEASED --release--> IDLE --lease--> LEASED
 *     any --close, end of input, error, bytes while idle--> closed for good
 * </pre>
 */
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(UpstreamConnection.class);
    private static final String DECODER = "http-decoder";
    private static final String ENCODER = "http-encoder";
    private static final String NAME = "upstream";
    /** Small enough that a slow caller is seen to take one after the other, see {@link ProgressWatch}. */
    static final int LARGEST_CHUNK = 16_384;
    /** How much may be on its way to the channel, beyond what the channel itself counts. */
    private static final int MOST_UNDER_WAY = 64 * 1024;

    /** The exchange that has the connection. Called on the event loop that it attached with. */
    interface User {
        /**
         * What one read brought: responses and contents, in order. The user releases them.
         *
         * @param clean whether everything that has come is among the parts
         */
        void upstreamRead(List<HttpObject> parts, boolean clean);

        /** The connection is closed, after everything that was read. */
        void upstreamClosed();
    }

    private enum State {
        LEASED,
        IDLE,
        CLOSED
    }

    private record Attached(User user, EventLoop loop) {}

    private final Channel channel;
    private final Tunnel tunnel;
    private final Upstreams upstreams;
    private final Http1ResponseDecoder decoder;
    /** Bytes of bodies that were handed over but have not come to the channel, which so does not know of them. */
    private final AtomicLong underWay = new AtomicLong();

    private final AtomicReference<State> state = new AtomicReference<>(State.LEASED);
    private volatile long idleSinceNanos;

    // Only the event loop of the channel touches these.
    private @Nullable Attached attached;
    private List<HttpObject> batch = new ArrayList<>();
    /** What came behind a 101. */
    private final List<ByteBuf> early = new ArrayList<>();

    private @Nullable Future<?> restTimer;
    private boolean endsWithInput;
    private boolean switched;

    private UpstreamConnection(Channel channel, Tunnel tunnel, Upstreams upstreams, int headerBytes) {
        this.channel = channel;
        this.tunnel = tunnel;
        this.upstreams = upstreams;
        this.decoder = new Http1ResponseDecoder(headerBytes);
    }

    /** Puts the codec on a raw stream. */
    static UpstreamConnection over(Channel channel, Tunnel tunnel, Upstreams upstreams, int headerBytes) {
        UpstreamConnection connection = new UpstreamConnection(channel, tunnel, upstreams, headerBytes);
        channel.eventLoop().execute(() -> {
            HttpEdge.readLittle(channel);
            channel.pipeline().addLast(DECODER, connection.decoder);
            channel.pipeline().addLast(ENCODER, new HttpRequestEncoder());
            channel.pipeline().addLast(NAME, connection);
            WirePipeline.release(channel.pipeline());
        });
        return connection;
    }

    Tunnel tunnel() {
        return tunnel;
    }

    Channel channel() {
        return channel;
    }

    long idleSinceNanos() {
        return idleSinceNanos;
    }

    void attach(User user, EventLoop loop) {
        run(() -> {
            attached = new Attached(user, loop);
            endsWithInput = false;
            cancelRest();
            if (!channel.isActive() || state.get() == State.CLOSED || decoder.holdsBytes()) {
                // The end, or an answer that nobody asked for, was faster than the request.
                tellClosed();
                close();
            }
        });
    }

    /** Never overtakes what was asked for before, such as {@link #over}, also on the channel's own event loop. */
    ChannelFuture write(HttpObject part) {
        ChannelPromise written = channel.newPromise();
        int size = part instanceof HttpContent content ? content.content().readableBytes() : 0;
        underWay.addAndGet(size);
        run(() -> {
            underWay.addAndGet(-size);
            if (part instanceof HttpRequest request) {
                decoder.asked(request.method());
            }
            var _ = channel.writeAndFlush(part, written);
        });
        return written;
    }

    boolean isWritable() {
        return underWay.get() < MOST_UNDER_WAY && channel.isWritable();
    }

    void read() {
        run(channel::read);
    }

    /** Takes an idle connection out of its rest; false when it is closed or somebody was faster. */
    boolean lease() {
        return state.compareAndSet(State.IDLE, State.LEASED) && channel.isActive();
    }

    /** Lays the connection to rest and offers it to others, for at most {@code limitNanos}. */
    void rest(long limitNanos) {
        run(() -> {
            attached = null;
            if (!channel.isActive() || state.get() != State.LEASED) {
                return;
            }
            if (isUnclean()) {
                close();
                return;
            }
            idleSinceNanos = channel.eventLoop().ticker().nanoTime();
            restTimer = channel.eventLoop().schedule(this::closeIfIdle, limitNanos, TimeUnit.NANOSECONDS);
            // Only so is the end of the connection noticed.
            channel.read();
            state.set(State.IDLE);
            if (!upstreams.keep(this)) {
                closeIfIdle();
            }
        });
    }

    /** Closes it if it is at rest. */
    void closeIfIdle() {
        if (state.compareAndSet(State.IDLE, State.CLOSED)) {
            var _ = channel.close();
        }
    }

    void close() {
        state.set(State.CLOSED);
        run(() -> {
            attached = null;
            var _ = channel.close();
        });
    }

    /**
     * Takes the codec out after a 101. What came early is held until the relay is there, see {@link WirePipeline#hold}. The
     * future fails when the connection has broken in the meantime.
     */
    Future<Channel> becomeRaw() {
        Promise<Channel> raw = channel.eventLoop().newPromise();
        run(() -> {
            attached = null;
            ChannelHandlerContext own = channel.pipeline().context(this);
            if (own == null || !channel.isActive()) {
                raw.setFailure(new ClosedChannelException());
                return;
            }
            WirePipeline.hold(channel.pipeline());
            early.forEach(own::fireChannelRead);
            early.clear();
            channel.pipeline().remove(this);
            channel.pipeline().remove(ENCODER);
            channel.pipeline().remove(DECODER);
            raw.setSuccess(channel);
        });
        return raw;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (switched && keepEarly(message)) {
            return;
        }
        if (attached == null || !(message instanceof HttpObject part)) {
            ReferenceCountUtil.release(message);
            state.set(State.CLOSED);
            var _ = ctx.close();
            return;
        }
        batch.add(checked(part));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        List<HttpObject> parts = batch;
        if (!parts.isEmpty()) {
            batch = new ArrayList<>();
            tell(parts);
        } else if (attached == null && !switched && isUnclean()) {
            // Bytes that nobody asked for, and that are not a whole message yet.
            state.set(State.CLOSED);
            var _ = ctx.close();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!switched && HalfClose.inputEnd(channel, event) != HalfClose.InputEnd.OPEN) {
            // Nothing can follow; closing lets the codec finish a body that ends with the connection.
            state.set(State.CLOSED);
            var _ = ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        log.atDebug()
                .addKeyValue("tunnelId", tunnel.id())
                .addKeyValue("error", String.valueOf(cause.getMessage()))
                .log("Stream to a service failed");
        state.set(State.CLOSED);
        var _ = ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        state.set(State.CLOSED);
        cancelRest();
        upstreams.forget(this);
        channelReadComplete(ctx);
        tellClosed();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        early.forEach(ReferenceCountUtil::release);
        early.clear();
        batch.forEach(ReferenceCountUtil::release);
        batch.clear();
    }

    /** A body that ends with the connection is whole only if the connection ended in order. */
    private HttpObject checked(HttpObject part) {
        if (part instanceof HttpResponse response) {
            int status = response.status().code();
            if (status == HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
                switched = true;
            }
            endsWithInput = status >= 200
                    && !HttpUtil.isTransferEncodingChunked(response)
                    && !HttpUtil.isContentLengthSet(response);
        } else if (endsWithInput
                && part instanceof LastHttpContent
                && HalfClose.inputEnd(channel) == HalfClose.InputEnd.TRUNCATED) {
            ReferenceCountUtil.release(part);
            DefaultLastHttpContent cut = new DefaultLastHttpContent();
            cut.setDecoderResult(DecoderResult.failure(
                    new PrematureChannelClosureException("the stream was cut off before its end")));
            return cut;
        }
        return part;
    }

    private boolean isUnclean() {
        return decoder.holdsBytes() || !batch.isEmpty();
    }

    private boolean keepEarly(Object message) {
        if (message instanceof ByteBuf bytes) {
            early.add(bytes);
            return true;
        }
        if (message instanceof HttpContent content) {
            if (content.content().isReadable()) {
                early.add(content.content());
            } else {
                content.release();
            }
            return true;
        }
        return false;
    }

    private void tell(List<HttpObject> parts) {
        Attached to = attached;
        try {
            if (to != null) {
                boolean clean = !decoder.holdsBytes();
                to.loop().execute(() -> to.user().upstreamRead(parts, clean));
                return;
            }
        } catch (RejectedExecutionException stopping) {
            log.atDebug().log("Engine stops, a response is dropped");
        }
        parts.forEach(ReferenceCountUtil::release);
    }

    private void tellClosed() {
        Attached to = attached;
        attached = null;
        try {
            if (to != null) {
                to.loop().execute(() -> to.user().upstreamClosed());
            }
        } catch (RejectedExecutionException stopping) {
            log.atDebug().log("Engine stops, the end of a stream is not reported");
        }
    }

    private void cancelRest() {
        if (restTimer != null) {
            restTimer.cancel(false);
            restTimer = null;
        }
    }

    private void run(Runnable task) {
        channel.eventLoop().execute(task);
    }
}
