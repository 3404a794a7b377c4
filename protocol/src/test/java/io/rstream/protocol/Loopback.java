package io.rstream.protocol;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Real connections over loopback: a blocking socket of the JDK at one end, a Netty channel at the other. */
final class Loopback implements AutoCloseable {
    /** Longer than anything here takes; reached only by a bug. */
    static final int PATIENCE_SECONDS = 20;

    private final List<EventLoopGroup> groups = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();

    /**
     * One connection.
     *
     * @param peer the end outside, with TLS if the leg has it
     * @param raw the socket of that end below TLS
     * @param channel our end, with auto-read off and, if the leg has TLS, held
     */
    record Leg(Socket peer, Socket raw, Channel channel) {
        /** Breaks the connection off. */
        void reset() throws IOException {
            raw.setSoLinger(true, 0);
            raw.close();
        }
    }

    /** A new event loop of its own thread. */
    EventLoopGroup loop() {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        groups.add(group);
        return group;
    }

    /** A connection; TLS when a context is given, with the handshake done. */
    Leg connect(EventLoopGroup loop, @Nullable SslContext tls) throws Exception {
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        Channel listener = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                            WirePipeline.hold(channel.pipeline());
                        }
                        accepted.complete(channel);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        open.add(() -> listener.close().sync());
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        Socket raw = new Socket();
        open.add(raw);
        raw.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        raw.setSoTimeout(PATIENCE_SECONDS * 1000);
        Channel channel = accepted.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (tls == null) {
            return new Leg(raw, raw, channel);
        }
        channel.read();
        SSLSocket secured = tlsOver(raw);
        secured.startHandshake();
        channel.pipeline().get(SslHandler.class).handshakeFuture().sync();
        return new Leg(secured, raw, channel);
    }

    /** Changes a pipeline on its event loop; from elsewhere a new handler would miss the first events. */
    static void onLoop(Channel channel, Consumer<ChannelPipeline> change) throws InterruptedException {
        channel.eventLoop().submit(() -> change.accept(channel.pipeline())).sync();
    }

    private static SSLSocket tlsOver(Socket raw) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        // The raw socket stays open when TLS is closed, so that a test decides how TCP ends.
        return (SSLSocket) context.getSocketFactory().createSocket(raw, "localhost", raw.getPort(), false);
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        for (EventLoopGroup group : groups) {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
