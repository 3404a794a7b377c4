package io.rstream.engine.edge;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.timeout.IdleStateHandler;
import java.util.concurrent.TimeUnit;

/**
 * Public HTTP behind TLS: makes the pipelines of HTTP/1.1 and HTTP/2 connections, and an {@link HttpExchange} for each
 * request. Thread-safe.
 */
public final class HttpEdge {
    /** Told to every public connection when the engine stops: finish what is under way, begin nothing new. */
    public static final Object DRAIN = new Object();

    private static final int MOST_STREAMS = 200;
    private static final int STREAM_WINDOW = 128 * 1024;
    /** Bounds what one caller can make the engine hold, over all its streams. */
    private static final int CONNECTION_WINDOW = 1024 * 1024;

    private final HttpParts parts;
    private final Upstreams upstreams;
    private volatile boolean draining;

    /** An edge with its parts. */
    public HttpEdge(HttpParts parts) {
        this.parts = parts;
        this.upstreams = new Upstreams(parts.timeouts().httpIdle());
    }

    /** From now on connections end after their present request. */
    public void drain() {
        draining = true;
    }

    /** HTTP/1.1: request decoder, response encoder, handler. Auto-read is off from here on. */
    public void installHttp1(ChannelPipeline pipeline) {
        pipeline.channel().config().setAutoRead(false);
        pipeline.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        Http1RequestDecoder decoder = new Http1RequestDecoder(parts.limits().headerBytes());
        Http1ResponseEncoder encoder = new Http1ResponseEncoder();
        pipeline.addLast("http-decoder", decoder);
        pipeline.addLast("http-encoder", encoder);
        pipeline.addLast("http", new Http1Handler(this, decoder, encoder));
    }

    /** HTTP/2: idle watch, frame codec, a channel for each stream, connection handler. */
    public void installHttp2(ChannelPipeline pipeline) {
        pipeline.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        Http2FrameCodec codec = Http2FrameCodecBuilder.forServer()
                .initialSettings(Http2Settings.defaultSettings()
                        .maxConcurrentStreams(MOST_STREAMS)
                        .initialWindowSize(STREAM_WINDOW)
                        .maxHeaderListSize(parts.limits().headerBytes()))
                .gracefulShutdownTimeoutMillis(parts.timeouts().drain().toMillis())
                .build();
        // Before the codec, behind which the frames of streams are not seen.
        pipeline.addLast(
                "http2-idle",
                new IdleStateHandler(0, 0, parts.timeouts().httpIdle().toMillis(), TimeUnit.MILLISECONDS));
        pipeline.addLast("http2", codec);
        pipeline.addLast("http2-streams", new Http2MultiplexHandler(new Http2StreamInitializer(this)));
        pipeline.addLast("http2-connection", new Http2ConnectionWatch(codec, CONNECTION_WINDOW));
    }

    /** Lets the channel deliver no more per read than one message, whatever lies ready. */
    static void readLittle(Channel channel) {
        if (channel.config().getRecvByteBufAllocator() instanceof MaxMessagesRecvByteBufAllocator allocator) {
            allocator.maxMessagesPerRead(1);
        }
    }

    HttpExchange exchange(Downstream downstream, HttpRequest request) {
        return new HttpExchange(this, downstream, request);
    }

    HttpParts parts() {
        return parts;
    }

    Upstreams upstreams() {
        return upstreams;
    }

    boolean draining() {
        return draining;
    }
}
