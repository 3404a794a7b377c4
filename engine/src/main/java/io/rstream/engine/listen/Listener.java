package io.rstream.engine.listen;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.rstream.engine.agents.AgentParts;
import io.rstream.engine.edge.HttpEdge;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.process.BindAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The public TLS port. Thread-safe. */
public final class Listener {
    private static final int BACKLOG = 1_024;

    private final Channel server;

    private Listener(Channel server) {
        this.server = server;
    }

    /**
     * What connections are made of.
     *
     * @param certificates TLS
     * @param agents the native protocol
     * @param edge HTTP
     * @param connections all connections are entered here
     * @param mostConnections how many there may be
     * @param handshakeLimit how long a handshake may take
     */
    public record Setup(
            Certificates certificates,
            AgentParts agents,
            HttpEdge edge,
            ChannelGroup connections,
            int mostConnections,
            Duration handshakeLimit) {}

    /**
     * Begins to listen.
     *
     * @throws IOException when the address cannot be bound; one sentence with the address
     */
    public static Listener bind(BindAddress address, EventLoopGroup acceptors, EventLoopGroup workers, Setup setup)
            throws IOException, InterruptedException {
        ChannelFuture bound = new ServerBootstrap()
                .group(acceptors, workers)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ConnectionInitializer(setup))
                .bind(address.toSocketAddress())
                .await();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
        return new Listener(bound.channel());
    }

    /** The address that is really bound. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** Accepts no more; what is open stays. */
    public void close() {
        server.close().awaitUninterruptibly();
    }

    /** guard, hello (later tls), selector; the selector puts the pipeline of the protocol behind tls. */
    private static final class ConnectionInitializer extends ChannelInitializer<Channel> {
        private final Setup setup;
        private final EngineMetrics metrics;

        ConnectionInitializer(Setup setup) {
            this.setup = setup;
            this.metrics = setup.agents().metrics();
        }

        @Override
        protected void initChannel(Channel channel) {
            int open = metrics.connectionOpened();
            channel.closeFuture().addListener(_ -> metrics.connectionClosed());
            if (open > setup.mostConnections()) {
                var _ = channel.close();
                return;
            }
            setup.connections().add(channel);
            channel.pipeline()
                    .addLast("guard", new ConnectionGuard(setup.handshakeLimit()))
                    .addLast("hello", new ClientHelloHandler(setup.certificates(), setup.handshakeLimit()))
                    .addLast("selector", new ProtocolSelector(setup.agents(), setup.edge()));
        }
    }
}
