package io.rstream.agent.connect;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
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
     * @param timeout limit for one connection, from the name to the end of the TLS handshake
     */
    public EngineConnector(
            Dialer dialer, TransportSettings settings, SslContext tls, EngineAddress engine, Duration timeout) {
        this.dialer = dialer;
        this.settings = settings;
        this.tls = tls;
        this.engine = engine;
        this.timeout = timeout;
    }

    /** A connection to the engine of this session; see {@link #connect(EventLoop, EngineAddress)}. */
    public Future<Channel> connect(EventLoop loop) {
        return connect(loop, engine);
    }

    /**
     * A connection to an engine, also to another one that the engine names ({@code proxy_endpoint}, section 4.5): its host
     * is then the name that the certificate must have.
     *
     * @return fails with {@link DialException}; otherwise a channel with auto-read off that speaks messages
     */
    public Future<Channel> connect(EventLoop loop, EngineAddress address) {
        Promise<Channel> secured = loop.newPromise();
        TlsWiring wiring = new TlsWiring(address);
        HttpProxy proxy = settings.proxy();
        String host = proxy == null ? address.host() : proxy.host();
        int port = proxy == null ? address.port() : proxy.port();
        dialer.dial(loop, host, port, new Route(settings.family(), settings.bind(), timeout), wiring)
                .addListener((Future<Channel> dialed) -> {
                    if (dialed.isSuccess()) {
                        awaitTls(dialed.getNow(), address, secured);
                    } else {
                        secured.tryFailure(dialed.cause());
                    }
                });
        return secured;
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
        return new DialException(
                "TLS with %s: %s".formatted(address, FailureText.of(cause)),
                cause instanceof SslHandshakeTimeoutException);
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
            handler.setHandshakeTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
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
