package io.rstream.engine;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.Trust;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One HTTP/2 connection to the engine whose frames the test decides. */
public final class H2Client implements AutoCloseable {
    public final Channel channel;
    /** Completes when the engine says that it takes no further streams. */
    public final CompletableFuture<Boolean> goAway;

    private H2Client(Channel channel, CompletableFuture<Boolean> goAway) {
        this.channel = channel;
        this.goAway = goAway;
    }

    public static H2Client connect(EngineFixture engine, String sni) {
        try {
            SslContext tls = TransportSecurity.client(
                    new Trust.Bundle(engine.caFile()), null, List.of("h2"), TlsVersion.TLS_1_3);
            CompletableFuture<Boolean> goAway = new CompletableFuture<>();
            Channel channel = new Bootstrap()
                    .group(WireClient.LOOPS)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline()
                                    .addLast(TransportSecurity.clientHandler(tls, channel.alloc(), sni, engine.port()))
                                    .addLast(Http2FrameCodecBuilder.forClient()
                                            .initialSettings(Http2Settings.defaultSettings())
                                            .encoderIgnoreMaxHeaderListSize(true)
                                            .build())
                                    .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()))
                                    .addLast(new ChannelInboundHandlerAdapter() {
                                        @Override
                                        public void channelRead(ChannelHandlerContext ctx, Object message) {
                                            if (message instanceof Http2GoAwayFrame) {
                                                goAway.complete(true);
                                            }
                                            ReferenceCountUtil.release(message);
                                        }
                                    });
                        }
                    })
                    .connect("127.0.0.1", engine.port())
                    .sync()
                    .channel();
            return new H2Client(channel, goAway);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends a request without a body. */
    public Stream get(String authority, String path) {
        return open(headers("GET", authority, path), true);
    }

    public static Http2Headers headers(String method, String authority, String path) {
        return new DefaultHttp2Headers()
                .method(method)
                .scheme("https")
                .authority(authority)
                .path(path);
    }

    public Stream open(Http2Headers headers, boolean end) {
        BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        Http2StreamChannel stream = new Http2StreamChannelBootstrap(channel)
                .handler(new Events(events))
                .open()
                .syncUninterruptibly()
                .getNow();
        stream.writeAndFlush(new DefaultHttp2HeadersFrame(headers, end)).syncUninterruptibly();
        return new Stream(stream, events);
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
    }

    /** One stream of the connection. */
    public record Stream(Http2StreamChannel channel, BlockingQueue<Object> events) {
        /** The next event: headers, data as text, "END", or "RESET n". */
        public Object next() {
            try {
                Object event = events.poll(20, TimeUnit.SECONDS);
                if (event == null) {
                    throw new AssertionError("nothing arrived in time");
                }
                return event;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        public Http2Headers headers() {
            return (Http2Headers) next();
        }

        /** All data until the end. */
        public String body() {
            StringBuilder body = new StringBuilder();
            for (Object event = next(); !event.equals("END"); event = next()) {
                body.append(event);
            }
            return body.toString();
        }

        public io.netty.channel.ChannelFuture data(byte[] bytes, boolean end) {
            return channel.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(bytes), end));
        }

        public void trailers(Http2Headers trailers) {
            channel.writeAndFlush(new DefaultHttp2HeadersFrame(trailers, true)).syncUninterruptibly();
        }

        public void reset() {
            channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL)).syncUninterruptibly();
        }
    }

    private static final class Events extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Object> events;

        Events(BlockingQueue<Object> events) {
            this.events = events;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            boolean end = false;
            if (message instanceof Http2HeadersFrame frame) {
                events.add(frame.headers());
                end = frame.isEndStream();
            } else if (message instanceof Http2DataFrame frame) {
                if (frame.content().isReadable()) {
                    events.add(new String(ByteBufUtil.getBytes(frame.content()), StandardCharsets.ISO_8859_1));
                }
                end = frame.isEndStream();
            }
            if (end) {
                events.add("END");
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof Http2ResetFrame frame) {
                events.add("RESET " + frame.errorCode());
            }
        }
    }
}
