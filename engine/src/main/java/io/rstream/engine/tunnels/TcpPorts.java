package io.rstream.engine.tunnels;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * The public ports of TCP tunnels (protocol, section 17.4): the range, and who listens. Claims on one tunnel share the
 * listener of its port. Thread-safe.
 */
public final class TcpPorts {
    private static final int BACKLOG = 1_024;

    /** Takes over a connection to a tunnel's port. */
    public interface Acceptor {
        /** The channel is raw, allows half-close and has auto-read off. Called on its event loop. */
        void accepted(int port, Channel channel);
    }

    /** A port that is listened on, or about to be. */
    private record Listener(ChannelFuture bound, int users) {}

    private final String bindAddress;
    private final String host;
    private final int first;
    private final int count;
    private final EventLoopGroup acceptors;
    private final EventLoopGroup workers;
    private final Acceptor acceptor;
    private final Map<Integer, Listener> listeners = new HashMap<>(); // Guarded by this.

    /**
     * One range of ports.
     *
     * @param bindAddress local address, empty for all interfaces
     * @param host host name that clients see
     * @param first first port
     * @param last last port
     * @param acceptors event loops for listening
     * @param workers event loops for connections
     * @param acceptor takes connections over
     */
    public TcpPorts(
            String bindAddress,
            String host,
            int first,
            int last,
            EventLoopGroup acceptors,
            EventLoopGroup workers,
            Acceptor acceptor) {
        this.bindAddress = bindAddress;
        this.host = host;
        this.first = first;
        this.count = last - first + 1;
        this.acceptors = acceptors;
        this.workers = workers;
        this.acceptor = acceptor;
    }

    /** Host name that clients see. */
    public String host() {
        return host;
    }

    /** Whether the port belongs to the range. */
    public boolean contains(int port) {
        return port >= first && port < first + count;
    }

    /** How many ports there are. */
    public int count() {
        return count;
    }

    /**
     * One port of the range after the other, beginning at a place that depends on the seed, so that a tunnel is likely to
     * get the same port again.
     *
     * @param attempt 0 to {@link #count()} - 1
     */
    public int candidate(String seed, int attempt) {
        return first + Math.floorMod(seed.hashCode() + attempt, count);
    }

    /**
     * Listens on the port, if nobody does yet, until {@link #release} was called as often as this. Connections are accepted
     * only once auto-read is set on the channel.
     */
    public synchronized ChannelFuture listen(int port) {
        Listener present = listeners.get(port);
        Listener next =
                present == null ? new Listener(bind(port), 1) : new Listener(present.bound(), present.users() + 1);
        listeners.put(port, next);
        return next.bound();
    }

    /** The port is not needed any longer, by one of those who asked for it. */
    public synchronized void release(int port) {
        Listener present = listeners.remove(port);
        if (present == null) {
            throw new IllegalStateException("nobody listens on port " + port);
        }
        if (present.users() > 1) {
            listeners.put(port, new Listener(present.bound(), present.users() - 1));
        } else {
            var _ = present.bound().channel().close();
        }
    }

    private ChannelFuture bind(int port) {
        InetSocketAddress address =
                bindAddress.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(bindAddress, port);
        return new ServerBootstrap()
                .group(acceptors, workers)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        acceptor.accepted(port, channel);
                    }
                })
                .bind(address);
    }
}
