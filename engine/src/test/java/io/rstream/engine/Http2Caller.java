package io.rstream.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An HTTP/2 connection to the engine whose windows the test decides: nothing is taken but what {@link Stream#take} allows. */
public final class Http2Caller implements AutoCloseable {
    private static final int AMPLE = 1 << 24;

    /** What happened on a stream: {@code :status}, a part of the body, the end, a reset. */
    public sealed interface Event {
        record Head(int status) implements Event {}

        record Body(String text) implements Event {}

        record End() implements Event {}

        record Reset(long error) implements Event {}
    }

    private final Channel channel;
    private final Frames frames;

    private Http2Caller(Channel channel, Frames frames) {
        this.channel = channel;
        this.frames = frames;
    }

    /**
     * Connects.
     *
     * @param window what each stream may send before {@link Stream#take} is called
     */
    public static Http2Caller connect(EngineFixture engine, int window) throws Exception {
        SslContext tls = SslContextBuilder.forClient()
                .trustManager(engine.caFile().toFile())
                .endpointIdentificationAlgorithm(null)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2))
                .build();
        Frames frames = new Frames();
        Channel channel = new Bootstrap()
                .group(WireClient.LOOPS)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel created) {
                        created.pipeline()
                                .addLast(tls.newHandler(created.alloc(), "edge.localhost", engine.port()))
                                .addLast(Http2FrameCodecBuilder.forClient()
                                        .initialSettings(Http2Settings.defaultSettings()
                                                .pushEnabled(false)
                                                .initialWindowSize(window))
                                        .build())
                                .addLast(frames);
                    }
                })
                .connect("127.0.0.1", engine.port())
                .sync()
                .channel();
        assertThat(frames.ready.await(20, TimeUnit.SECONDS)).isTrue();
        Http2Caller caller = new Http2Caller(channel, frames);
        channel.writeAndFlush(new DefaultHttp2WindowUpdateFrame(AMPLE)).sync();
        return caller;
    }

    /** Begins a request; {@code end} says that it has no body. */
    public Stream request(String method, String authority, String path, boolean end) throws Exception {
        Http2FrameStream stream = frames.newStream();
        Stream opened = new Stream(stream);
        Http2Headers headers = new DefaultHttp2Headers()
                .method(method)
                .scheme("https")
                .authority(authority)
                .path(path);
        channel.writeAndFlush(new DefaultHttp2HeadersFrame(headers, end).stream(stream))
                .sync();
        return opened;
    }

    /** Whether the engine still takes new requests on this connection. */
    public boolean isOpen() {
        return channel.isActive() && !frames.goneAway;
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
    }

    /** One request and what comes back. */
    public final class Stream {
        private final Http2FrameStream stream;
        private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

        Stream(Http2FrameStream stream) {
            this.stream = stream;
            frames.events.put(stream, events);
        }

        /** Sends a part of the request's body. */
        public Stream send(String text, boolean end) throws Exception {
            channel.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII), end)
                            .stream(stream))
                    .sync();
            return this;
        }

        /** Lets so many more bytes of the response come. */
        public void take(int bytes) throws Exception {
            Http2Connection connection =
                    channel.pipeline().get(Http2FrameCodec.class).connection();
            channel.eventLoop()
                    .submit(() -> {
                        Http2Stream target = connection.stream(stream.id());
                        var windows = (DefaultHttp2LocalFlowController)
                                connection.local().flowController();
                        // Otherwise small additions to the window are not sent.
                        windows.windowUpdateRatio(target, 0.99f);
                        windows.incrementWindowSize(target, bytes);
                        channel.flush();
                        return bytes;
                    })
                    .sync();
        }

        public Event next() throws InterruptedException {
            Event event = events.poll(20, TimeUnit.SECONDS);
            assertThat(event).isNotNull();
            return event;
        }

        public boolean isQuiet() {
            return events.isEmpty();
        }

        /** So many bytes of the body, which may come in parts. */
        public String body(int length) throws InterruptedException {
            StringBuilder text = new StringBuilder();
            while (text.length() < length) {
                Event event = next();
                assertThat(event).isInstanceOf(Event.Body.class);
                text.append(((Event.Body) event).text());
            }
            return text.toString();
        }
    }

    private static final class Frames extends Http2ChannelDuplexHandler {
        private final CountDownLatch ready = new CountDownLatch(1);
        private final Map<Http2FrameStream, BlockingQueue<Event>> events = new ConcurrentHashMap<>();
        private volatile boolean goneAway;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            switch (message) {
                case Http2SettingsFrame _ -> ready.countDown();
                case Http2GoAwayFrame _ -> goneAway = true;
                case Http2StreamFrame frame
                when events.containsKey(frame.stream()) -> record(frame, events.get(frame.stream()));
                default -> {
                    // Of no interest to any test.
                }
            }
            ReferenceCountUtil.release(message);
        }

        private static void record(Http2StreamFrame frame, BlockingQueue<Event> to) {
            switch (frame) {
                case Http2HeadersFrame head -> {
                    CharSequence status = head.headers().status();
                    if (status != null) {
                        to.add(new Event.Head(Integer.parseInt(status.toString())));
                    }
                    if (head.isEndStream()) {
                        to.add(new Event.End());
                    }
                }
                case Http2DataFrame data -> {
                    if (data.content().isReadable()) {
                        to.add(new Event.Body(
                                new String(ByteBufUtil.getBytes(data.content()), StandardCharsets.US_ASCII)));
                    }
                    if (data.isEndStream()) {
                        to.add(new Event.End());
                    }
                }
                case Http2ResetFrame reset -> to.add(new Event.Reset(reset.errorCode()));
                default -> {
                    // Windows and priorities.
                }
            }
        }
    }
}
