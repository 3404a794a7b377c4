package io.rstream.agent.fake;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.rstream.protocol.ByteRelay;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.Liveness;
import io.rstream.protocol.Message;
import io.rstream.protocol.ServerDetails;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.TransportSecurity.ClientCertificate;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import io.rstream.protocol.WirePipeline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An engine that is just enough for an agent: one public TCP port that leads to the newest session, real TLS, the real
 * protocol. How it behaves is set by its fields; what it heard is in its lists.
 */
public final class FakeEngine implements AutoCloseable {
    public static final String TUNNEL_ID = "tunnel-1";

    public volatile String acceptedToken = "good-token";
    /** Whether new connections get as far as TLS; others are in {@link #silent}. */
    public volatile boolean answersTls = true;

    public volatile boolean answersOpening = true;
    public volatile boolean answersTunnel = true;
    public volatile boolean acknowledges = true;
    public volatile boolean closesTunnels = true;
    public volatile boolean sendsSecret = true;
    public volatile boolean knowsLiveness = true;
    /** In place of the answer that fits the request. */
    public volatile @Nullable Liveness liveness;

    public volatile @Nullable WireError tunnelRefusal;

    public final List<Message> received = new CopyOnWriteArrayList<>();
    public final List<Message.ProxyRequest> proxyRequests = new CopyOnWriteArrayList<>();
    public final List<Channel> controls = new CopyOnWriteArrayList<>();
    public final List<Channel> silent = new CopyOnWriteArrayList<>();
    public final AtomicInteger connections = new AtomicInteger();

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<String, Channel> waiting = new ConcurrentHashMap<>();
    private final AtomicInteger streams = new AtomicInteger();
    private final List<String> foreignStreams = new CopyOnWriteArrayList<>();
    private final Channel listener;
    private final Channel publicListener;

    private FakeEngine(TestCertificates certificates, List<String> alpns) throws Exception {
        SslContext tls = TransportSecurity.server(
                certificates.serverFiles(),
                alpns,
                ClientCertificate.OPTIONAL,
                TlsVersion.TLS_1_2,
                TransportSecurity.Engine.JDK);
        listener = listen(channel -> {
            connections.incrementAndGet();
            if (!answersTls) {
                channel.config().setAllowHalfClosure(false);
                silent.add(channel);
                return;
            }
            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
            WirePipeline.install(channel.pipeline());
            channel.pipeline().addLast("first", new FirstMessage());
        });
        publicListener = listen(channel -> {
            channel.config().setAutoRead(false);
            askForStream(channel);
        });
    }

    public static FakeEngine start(TestCertificates certificates) throws Exception {
        return new FakeEngine(certificates, List.of(TransportSecurity.ALPN_RSTREAM));
    }

    /** One that answers TLS but knows no ALPN, like many other servers. */
    public static FakeEngine withoutAlpn(TestCertificates certificates) throws Exception {
        return new FakeEngine(certificates, List.of());
    }

    public String address() {
        return "localhost:" + port();
    }

    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /** A caller of the tunnel. */
    public Socket dial() throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), ((InetSocketAddress) publicListener.localAddress()).getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Sends something on the newest control channel. */
    public void send(Message message) {
        write(controls.getLast(), message);
    }

    /** Breaks the newest control channel. */
    public void cutControl() {
        controls.getLast().close().syncUninterruptibly();
    }

    public <T extends Message> List<T> received(Class<T> type) {
        return received.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** A caller whose stream another engine asks the agent for. */
    public Socket dialAwaiting(String streamId) throws IOException {
        foreignStreams.add(streamId);
        Socket caller = dial();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!waiting.containsKey(streamId) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        return caller;
    }

    @Override
    public void close() {
        close(listener);
        close(publicListener);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private interface Wiring {
        void wire(SocketChannel channel);
    }

    private Channel listen(Wiring wiring) {
        return new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        wiring.wire(channel);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    private void askForStream(Channel caller) {
        if (!foreignStreams.isEmpty()) {
            waiting.put(foreignStreams.removeFirst(), caller);
            return;
        }
        String id = "%024x".formatted(streams.incrementAndGet());
        waiting.put(id, caller);
        send(new Message.ProxyConnectionRequest(
                TUNNEL_ID, id, sendsSecret ? secretOf(id) : null, InetAddress.getLoopbackAddress(), null));
    }

    public static String secretOf(String streamId) {
        return "secret-of-" + streamId;
    }

    private final class FirstMessage extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            switch (message) {
                case Message.OpenControlChannelRequest request -> open(ctx, request);
                case Message.ProxyRequest request -> join(ctx, request);
                default -> close(ctx.channel());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            close(ctx.channel());
        }

        private void open(ChannelHandlerContext ctx, Message.OpenControlChannelRequest request) {
            received.add(request);
            if (!answersOpening) {
                return;
            }
            String token = request.client() == null ? null : request.client().token();
            if (token != null && !token.equals(acceptedToken)) {
                writeAndClose(
                        ctx.channel(),
                        new Message.OpenControlChannelRefused(
                                new WireError(WireError.UNAUTHORIZED, "The token is not valid.")));
                return;
            }
            controls.add(ctx.channel());
            ctx.pipeline().replace(this, "control", new Control());
            write(
                    ctx.channel(),
                    new Message.OpenControlChannelAccepted(
                            "client-1",
                            new ServerDetails("fake", null, null, null, null, null, null),
                            answer(request.liveness())));
        }

        private @Nullable Liveness answer(@Nullable Liveness request) {
            if (!knowsLiveness || request == null) {
                return null;
            }
            return liveness == null ? request.answer().orElse(null) : liveness;
        }

        private void join(ChannelHandlerContext ctx, Message.ProxyRequest request) {
            proxyRequests.add(request);
            Channel caller = waiting.remove(request.streamId());
            if (caller == null) {
                close(ctx.channel());
                return;
            }
            ctx.channel().config().setAutoRead(false);
            WirePipeline.hold(ctx.pipeline());
            ctx.pipeline().remove(this);
            var _ = ByteRelay.join(ctx.channel(), caller);
        }
    }

    private final class Control extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            // Read first: whoever sees the request in the list knows that a later change does not concern it.
            boolean answers = answersTunnel;
            received.add((Message) message);
            switch (message) {
                case Message.OpenTunnelRequest request when answers -> write(ctx.channel(), answer(request));
                case Message.Heartbeat beat
                when acknowledges && knowsLiveness -> write(ctx.channel(), new Message.Heartbeat(0, beat.sequence()));
                case Message.CloseTunnelRequest request
                when closesTunnels -> write(ctx.channel(), new Message.CloseTunnelResponse(request.tunnelId()));
                case Message.CloseControlChannelRequest _ ->
                    writeAndClose(ctx.channel(), new Message.CloseControlChannelResponse());
                case Message.ProxyConnectionResponse response
                when response.error() != null -> {
                    Channel caller = waiting.remove(response.streamId());
                    if (caller != null) {
                        close(caller);
                    }
                }
                default -> {}
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            close(ctx.channel());
        }

        private Message answer(Message.OpenTunnelRequest request) {
            WireError refusal = tunnelRefusal;
            if (refusal != null) {
                return new Message.OpenTunnelRefused(request.requestId(), refusal);
            }
            TunnelProperties wanted = request.properties();
            return new Message.OpenTunnelAccepted(
                    request.requestId(),
                    wanted.toBuilder()
                            .id(TUNNEL_ID)
                            .type("bytestream")
                            .hostname(wanted.hostname() == null ? "web.t.example.com" : wanted.hostname())
                            .build());
        }
    }

    /** What the agent said about itself last. */
    public ClientDetails lastClient() {
        return received(Message.OpenControlChannelRequest.class).getLast().client();
    }

    private static void write(Channel channel, Message message) {
        var _ = channel.writeAndFlush(message);
    }

    private static void writeAndClose(Channel channel, Message message) {
        var _ = channel.writeAndFlush(message).addListener(_ -> close(channel));
    }

    private static void close(Channel channel) {
        var _ = channel.close();
    }
}
