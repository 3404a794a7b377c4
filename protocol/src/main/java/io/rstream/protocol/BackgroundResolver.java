package io.rstream.protocol;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;

/**
 * Resolves host names with the JDK, and so by the system's rules and {@code jdk.net.hosts.file}, on virtual threads: event
 * loops never block. Names under {@code .localhost} are this machine (RFC 6761, section 6.3). Thread-safe.
 */
public final class BackgroundResolver extends AddressResolverGroup<InetSocketAddress> {
    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new JdkNames(executor).asAddressResolver();
    }

    private static final class JdkNames extends InetNameResolver {
        private JdkNames(EventExecutor executor) {
            super(executor);
        }

        @Override
        protected void doResolve(String host, Promise<InetAddress> promise) {
            inBackground(host, promise, () -> lookUp(host).getFirst());
        }

        @Override
        protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
            inBackground(host, promise, () -> lookUp(host));
        }

        private static <T> void inBackground(String host, Promise<T> promise, Lookup<T> lookup) {
            Thread.ofVirtual().name("resolve " + host).start(() -> {
                try {
                    promise.trySuccess(lookup.run());
                } catch (UnknownHostException | RuntimeException e) {
                    promise.tryFailure(e);
                }
            });
        }

        private static List<InetAddress> lookUp(String host) throws UnknownHostException {
            String name = host.toLowerCase(Locale.ROOT);
            if (name.equals("localhost") || name.endsWith(".localhost") || name.endsWith(".localhost.")) {
                return List.of(loopback(host, new byte[] {127, 0, 0, 1}), loopback(host, ipv6Loopback()));
            }
            return List.of(InetAddress.getAllByName(host));
        }

        private static byte[] ipv6Loopback() {
            byte[] octets = new byte[16];
            octets[15] = 1;
            return octets;
        }

        private static InetAddress loopback(String host, byte[] octets) throws UnknownHostException {
            return InetAddress.getByAddress(host, octets);
        }
    }

    private interface Lookup<T> {
        T run() throws UnknownHostException;
    }
}
