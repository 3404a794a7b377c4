package io.rstream.agent.connect;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.proxy.HttpProxyHandler;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.process.Durations;
import io.rstream.protocol.EngineAddress;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.WirePipeline;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Opens protocol connections to one engine: TCP (through the proxy, if there is one), TLS with ALPN {@code rstrm/1}, then
 * framing (rstream protocol, sections 4 and 5). One instance lives as long as one session. Thread-safe.
 *
 * <pre>
 *   pipeline until the connection is ready: [proxy] -> tls -> failures
 *   and then:                               tls -> rstream-decoder -> rstream-encoder
 * </pre>
 */
public final class EngineConnector {
    private static final String PROXY = "proxy";
    private static final String FAILURES = "failures";

    private final Dialer dialer;
    private final TransportSettings settings;
    private final SslContext tls;
    private final EngineAddress engine;
    private final Duration timeout;

    /**
     * Describes the way; nothing is opened yet.
     *
     * @param timeout limit for {@link #connect(EventLoop)}, from the name to the end of the TLS handshake
     */
    public EngineConnector(
            Dialer dialer, TransportSettings settings, SslContext tls, EngineAddress engine, Duration timeout) {
        this.dialer = dialer;
        this.settings = settings;
        this.tls = tls;
        this.engine = engine;
        this.timeout = timeout;
    }

    /** A connection to the engine of this session; see {@link #connect(EventLoop, EngineAddress, Duration)}. */
    public Future<Channel> connect(EventLoop loop) {
        return connect(loop, engine, timeout);
    }

    /**
     * A connection to an engine, also to another one that the engine names ({@code proxy_endpoint}, section 4.5): its host
     * is then the name that the certificate must have.
     *
     * @param limit for everything together: name, TCP, proxy and TLS
     * @return fails with {@link DialException}; otherwise a channel with auto-read off that speaks messages
     */
    public Future<Channel> connect(EventLoop loop, EngineAddress address, Duration limit) {
        Promise<Channel> secured = loop.newPromise();
        long deadlineNanos = loop.ticker().nanoTime() + limit.toNanos();
        TlsWiring wiring = new TlsWiring(address);
        HttpProxy proxy = settings.proxy();
        String host = proxy == null ? address.host() : proxy.host();
        int port = proxy == null ? address.port() : proxy.port();
        dialer.dial(loop, host, port, new Route(settings.family(), settings.bind(), limit), wiring)
                .addListener((Future<Channel> dialed) -> {
                    if (dialed.isSuccess()) {
                        Duration left =
                                Duration.ofNanos(deadlineNanos - loop.ticker().nanoTime());
                        expire(dialed.getNow(), address, secured, left, limit);
                        awaitTls(dialed.getNow(), address, secured);
                    } else {
                        secured.tryFailure(dialed.cause());
                    }
                });
        return secured;
    }

    /** TCP has used its part of the limit; proxy and TLS get what is left of it. */
    private void expire(
            Channel channel, EngineAddress address, Promise<Channel> secured, Duration left, Duration limit) {
        Future<?> timer = channel.eventLoop()
                .schedule(
                        () -> {
                            String text = "%s: timed out after %s".formatted(waitsFor(channel, address), limit(limit));
                            if (secured.tryFailure(new DialException(text, true))) {
                                abandon(channel);
                            }
                        },
                        left.toNanos(),
                        TimeUnit.NANOSECONDS);
        secured.addListener(_ -> timer.cancel(false));
    }

    /**
     * Closes below all handlers: before its handshake TLS has no farewell to say, and a silent proxy would hold that back, with
     * its buffers, for seconds.
     */
    private static void abandon(Channel channel) {
        ChannelHandlerContext lowest = channel.pipeline().firstContext();
        var _ = lowest == null ? channel.close() : lowest.close();
    }

    private String waitsFor(Channel channel, EngineAddress address) {
        HttpProxy proxy = settings.proxy();
        HttpProxyHandler handler = channel.pipeline().get(HttpProxyHandler.class);
        return proxy != null && handler != null && !handler.isConnected()
                ? "HTTP proxy %s:%d did not connect to %s".formatted(proxy.host(), proxy.port(), address)
                : "TLS with " + address;
    }

    private static String limit(Duration limit) {
        return Durations.format(Duration.ofMillis(limit.toMillis()));
    }

    private void awaitTls(Channel channel, EngineAddress address, Promise<Channel> secured) {
        SslHandler handler = channel.pipeline().get(SslHandler.class);
        handler.handshakeFuture().addListener((Future<Channel> handshake) -> {
            String protocol = handler.applicationProtocol();
            if (!handshake.isSuccess()) {
                secured.tryFailure(failure(address, handshake.cause()));
                var _ = channel.close();
            } else if (!TransportSecurity.ALPN_RSTREAM.equals(protocol)) {
                secured.tryFailure(new DialException(
                        "%s answered, but does not speak rstrm/1; connection.engine must name an rstream engine"
                                .formatted(address),
                        false));
                var _ = channel.close();
            } else {
                ready(channel);
                if (!secured.trySuccess(channel)) {
                    var _ = channel.close();
                }
            }
        });
    }

    private DialException failure(EngineAddress address, Throwable cause) {
        HttpProxy proxy = settings.proxy();
        if (proxy != null
                && (cause instanceof ProxyConnectException || cause.getCause() instanceof ProxyConnectException)) {
            return new DialException(
                    "HTTP proxy %s:%d did not connect to %s: %s"
                            .formatted(proxy.host(), proxy.port(), address, FailureText.of(cause)),
                    false);
        }
        return new DialException("TLS with %s: %s".formatted(address, FailureText.of(cause)), false);
    }

    private static void ready(Channel channel) {
        channel.config().setAutoRead(false);
        channel.pipeline().remove(FAILURES);
        if (channel.pipeline().get(PROXY) != null) {
            channel.pipeline().remove(PROXY);
        }
        WirePipeline.install(channel.pipeline());
    }

    /** What goes wrong in a handshake is told by its future; here it only ends. */
    private static final class HandshakeFailures extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }

        /** With half-close the end of the input alone would not end the handshake before its time is over. */
        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                var _ = ctx.close();
            } else {
                ctx.fireUserEventTriggered(event);
            }
        }
    }

    private final class TlsWiring implements Dialer.Wiring {
        private final EngineAddress address;

        TlsWiring(EngineAddress address) {
            this.address = address;
        }

        @Override
        public void wire(SocketChannel channel, InetSocketAddress candidate) {
            HttpProxy proxy = settings.proxy();
            if (proxy != null) {
                channel.pipeline().addLast(PROXY, proxy.handler(candidate));
            }
            SslHandler handler = TransportSecurity.clientHandler(tls, channel.alloc(), address.host(), address.port());
            // One limit holds for everything, see expire.
            handler.setHandshakeTimeoutMillis(0);
            channel.pipeline().addLast("tls", handler);
            channel.pipeline().addLast(FAILURES, new HandshakeFailures());
            // The handshake needs reads; nothing but the handshake can arrive before our first message.
            channel.config().setAutoRead(true);
        }

        @Override
        public SocketAddress remote(InetSocketAddress candidate) {
            // The proxy looks the engine's name up.
            return settings.proxy() == null
                    ? candidate
                    : InetSocketAddress.createUnresolved(address.host(), address.port());
        }
    }

    /** Where {@link #connect(EventLoop)} goes to. */
    public EngineAddress engine() {
        return engine;
    }
}
