package io.rstream.e2e.input;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.process.Secret;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.Message;
import io.rstream.protocol.ProtocolVersion;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.Trust;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import io.rstream.protocol.WirePipeline;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An agent that opens a tunnel and then does nothing unless the test says so. */
final class SilentAgent implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final LinkedBlockingQueue<Message> received = new LinkedBlockingQueue<>();
    private final Channel channel;

    private SilentAgent(EngineProcess engine) throws Exception {
        SslContext context = TransportSecurity.client(
                new Trust.Bundle(engine.caFile()), null, List.of(TransportSecurity.ALPN_RSTREAM), TlsVersion.TLS_1_3);
        channel = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel connection) {
                        connection
                                .pipeline()
                                .addLast(TransportSecurity.clientHandler(
                                        context, connection.alloc(), EngineProcess.HOST, engine.port()));
                        WirePipeline.install(connection.pipeline());
                        connection.pipeline().addLast(new Collector());
                    }
                })
                .connect(InetAddress.getLoopbackAddress(), engine.port())
                .sync()
                .channel();
    }

    /** Opens a control channel. */
    static SilentAgent connect(EngineProcess engine, Secret token) throws Exception {
        SilentAgent agent = new SilentAgent(engine);
        agent.send(new Message.OpenControlChannelRequest(
                new ClientDetails(
                        "silent-agent", "dev", "0", "linux", "amd64", token.reveal(), ProtocolVersion.CURRENT),
                null));
        agent.receive(Message.OpenControlChannelAccepted.class);
        return agent;
    }

    /** Asks for an HTTP tunnel under a host name and returns the answer. */
    Message openTunnel(String name, String hostname) throws InterruptedException {
        send(new Message.OpenTunnelRequest(
                "1",
                TunnelProperties.builder()
                        .name(name)
                        .protocol("http")
                        .publish(true)
                        .hostname(hostname)
                        .build()));
        return receive(Message.class);
    }

    /** Refuses a stream. */
    void refuse(Message.ProxyConnectionRequest request, WireError error) throws InterruptedException {
        send(new Message.ProxyConnectionResponse(request.streamId(), error));
    }

    void send(Message message) throws InterruptedException {
        channel.writeAndFlush(message).sync();
    }

    /** The next message, which must be of this kind. */
    <T extends Message> T receive(Class<T> kind) throws InterruptedException {
        Message message = received.poll(30, TimeUnit.SECONDS);
        if (!kind.isInstance(message)) {
            throw new AssertionError("expected %s but the engine sent %s".formatted(kind.getSimpleName(), message));
        }
        return kind.cast(message);
    }

    @Override
    public void close() throws InterruptedException {
        channel.close().sync();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }

    private final class Collector extends SimpleChannelInboundHandler<Message> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, Message message) {
            received.add(message);
        }
    }
}
