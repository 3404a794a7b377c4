package io.rstream.engine.edge;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.metrics.EngineMetrics.StreamKind;
import io.rstream.engine.streams.Broker;
import io.rstream.engine.streams.StreamOutcome;
import io.rstream.engine.tunnels.Registry;
import io.rstream.engine.tunnels.TcpPorts;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.protocol.ByteRelay;
import io.rstream.protocol.RelayOutcome;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Published TCP: a connection to a tunnel's port becomes a stream to its agent, bytes and half-close alike (protocol, section
 * 17.4). Thread-safe.
 */
public final class TcpEdge implements TcpPorts.Acceptor {
    private static final Logger log = LoggerFactory.getLogger(TcpEdge.class);

    private final Registry registry;
    private final Broker broker;
    private final EngineMetrics metrics;
    private final ChannelGroup connections;
    private final int mostConnections;

    /**
     * An edge.
     *
     * @param registry where the tunnel of a port is found
     * @param broker gets streams to agents
     * @param metrics counts
     * @param connections where public connections are entered
     * @param mostConnections how many public connections there may be, of all kinds
     */
    public TcpEdge(
            Registry registry, Broker broker, EngineMetrics metrics, ChannelGroup connections, int mostConnections) {
        this.registry = registry;
        this.broker = broker;
        this.metrics = metrics;
        this.connections = connections;
        this.mostConnections = mostConnections;
    }

    @Override
    public void accepted(int port, Channel channel) {
        int open = metrics.connectionOpened();
        channel.closeFuture().addListener(_ -> metrics.connectionClosed());
        if (open > mostConnections) {
            var _ = channel.close();
            return;
        }
        Optional<Tunnel> tunnel = registry.findByPort(port);
        if (tunnel.isEmpty()) {
            // Its last session left a moment ago; the port closes.
            var _ = channel.close();
            return;
        }
        connections.add(channel);
        var remote = ((InetSocketAddress) channel.remoteAddress()).getAddress();
        broker.open(tunnel.get(), remote, StreamKind.TCP, channel.eventLoop())
                .outcome()
                .addListener(done -> settled(port, channel, (StreamOutcome) done.getNow()));
    }

    private void settled(int port, Channel channel, StreamOutcome outcome) {
        if (outcome instanceof StreamOutcome.Joined joined) {
            ByteRelay.join(channel, joined.channel()).addListener(done -> {
                RelayOutcome relayed = (RelayOutcome) done.getNow();
                metrics.sentToAgent(relayed.firstToSecond());
                metrics.receivedFromAgent(relayed.secondToFirst());
            });
            return;
        }
        log.atDebug()
                .addKeyValue("port", port)
                .addKeyValue("remote", channel.remoteAddress())
                .addKeyValue("reason", outcome.getClass().getSimpleName())
                .log("TCP connection closed without a stream");
        var _ = channel.close();
    }
}
