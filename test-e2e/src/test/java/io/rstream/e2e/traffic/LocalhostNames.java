package io.rstream.e2e.traffic;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/**
 * Names under .localhost are loopback in the tests' own JVM (RFC 6761, section 6.3), which not every C library does. The
 * processes of engine and agent do not get this class: test classes are not on their class path.
 */
public final class LocalhostNames extends InetAddressResolverProvider {
    @Override
    public InetAddressResolver get(Configuration configuration) {
        InetAddressResolver system = configuration.builtinResolver();
        return new InetAddressResolver() {
            @Override
            public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
                return host.endsWith(".localhost")
                        ? Stream.of(InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}))
                        : system.lookupByName(host, policy);
            }

            @Override
            public String lookupByAddress(byte[] address) throws UnknownHostException {
                return system.lookupByAddress(address);
            }
        };
    }

    @Override
    public String name() {
        return "names under .localhost";
    }
}
