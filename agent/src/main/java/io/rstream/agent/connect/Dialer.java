package io.rstream.agent.connect;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.NoopAddressResolverGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.process.Durations;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Opens TCP connections: looks the name up without blocking and tries its addresses one after the other, all within one
 * time limit. Each address gets an equal share of the time that is left, and at least two seconds, as in Go's dialer.
 * Thread-safe.
 */
public final class Dialer {
    private static final long MINIMUM_SHARE_MILLIS = 2_000;
    private static final int KEEP_ALIVE_SECONDS = 30;

    private final AddressResolverGroup<InetSocketAddress> resolver;

    /**
     * Dials with this resolver.
     *
     * @param resolver must not block event loops; stays the caller's
     */
    public Dialer(AddressResolverGroup<InetSocketAddress> resolver) {
        this.resolver = resolver;
    }

    /** Fills the pipeline of a connection that is about to be made. */
    public interface Wiring {
        /** Puts handlers in place; runs on the event loop, once for each address that is tried. */
        void wire(SocketChannel channel, InetSocketAddress candidate);

        /** What the channel is asked to connect to; a proxy handler wants the address behind the proxy here. */
        default SocketAddress remote(InetSocketAddress candidate) {
            return candidate;
        }
    }

    /**
     * Connects to a host. The channel has {@code ALLOW_HALF_CLOSURE}, TCP_NODELAY, keep-alive, and auto-read off.
     *
     * @param loop the channel's event loop
     * @param host a name or an address
     * @param port 1 to 65535
     * @return fails with {@link DialException}; a channel that comes too late is closed
     */
    public Future<Channel> dial(EventLoop loop, String host, int port, Route route, Wiring wiring) {
        Dial dial = new Dial(loop, host, port, route, wiring);
        loop.execute(() -> dial.start(resolver));
        return dial.result;
    }

    /** One call of {@link #dial}; all of it runs on the event loop. */
    private static final class Dial {
        private final EventLoop loop;
        private final String host;
        private final int port;
        private final Route route;
        private final Wiring wiring;
        private final Promise<Channel> result;
        private final long deadlineNanos;

        Dial(EventLoop loop, String host, int port, Route route, Wiring wiring) {
            this.loop = loop;
            this.host = host;
            this.port = port;
            this.route = route;
            this.wiring = wiring;
            this.result = loop.newPromise();
            this.deadlineNanos = loop.ticker().nanoTime() + route.timeout().toNanos();
        }

        void start(AddressResolverGroup<InetSocketAddress> resolver) {
            Future<?> timer = loop.schedule(this::timeOut, route.timeout().toNanos(), TimeUnit.NANOSECONDS);
            result.addListener(_ -> timer.cancel(false));
            resolver.getResolver(loop)
                    .resolveAll(InetSocketAddress.createUnresolved(host, port))
                    .addListener((Future<List<InetSocketAddress>> found) -> {
                        if (found.isSuccess()) {
                            connect(allowed(found.getNow()), 0, null);
                        } else {
                            fail(found.cause());
                        }
                    });
        }

        private List<InetSocketAddress> allowed(List<InetSocketAddress> all) {
            return all.stream()
                    .filter(address -> route.family().allows(address.getAddress()))
                    .filter(address -> route.bind() == null
                            || route.bind().getClass() == address.getAddress().getClass())
                    .toList();
        }

        private void connect(List<InetSocketAddress> candidates, int index, @Nullable Throwable firstFailure) {
            if (result.isDone()) {
                return;
            }
            if (candidates.isEmpty()) {
                result.tryFailure(new DialException(
                        "dial %s:%d: it has no address of the wanted IP family".formatted(host, port), false));
                return;
            }
            if (index == candidates.size()) {
                fail(firstFailure);
                return;
            }
            InetSocketAddress candidate = candidates.get(index);
            bootstrap(candidate, share(candidates.size() - index))
                    .connect(wiring.remote(candidate), local())
                    .addListener((ChannelFuture connected) -> {
                        if (!connected.isSuccess()) {
                            connect(candidates, index + 1, firstFailure == null ? connected.cause() : firstFailure);
                        } else if (!result.trySuccess(connected.channel())) {
                            var _ = connected.channel().close();
                        }
                    });
        }

        private @Nullable SocketAddress local() {
            return route.bind() == null ? null : new InetSocketAddress(route.bind(), 0);
        }

        private int share(int candidatesLeft) {
            long leftMillis =
                    TimeUnit.NANOSECONDS.toMillis(deadlineNanos - loop.ticker().nanoTime());
            long share = Math.max(leftMillis / candidatesLeft, MINIMUM_SHARE_MILLIS);
            return (int) Math.clamp(share, 1, Math.max(1, leftMillis));
        }

        private Bootstrap bootstrap(InetSocketAddress candidate, int timeoutMillis) {
            return new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .resolver(NoopAddressResolverGroup.INSTANCE)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.SO_KEEPALIVE, true)
                    .option(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), KEEP_ALIVE_SECONDS)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.AUTO_READ, false)
                    .handler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            wiring.wire(channel, candidate);
                        }
                    });
        }

        private void timeOut() {
            result.tryFailure(new DialException(
                    "dial %s:%d: timed out after %s".formatted(host, port, Durations.format(route.timeout())), true));
        }

        private void fail(@Nullable Throwable cause) {
            boolean timeout = cause instanceof ConnectTimeoutException;
            result.tryFailure(
                    new DialException("dial %s:%d: %s".formatted(host, port, FailureText.of(cause)), timeout));
        }
    }
}
