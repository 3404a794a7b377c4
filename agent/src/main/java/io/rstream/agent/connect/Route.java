package io.rstream.agent.connect;

import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a connection is made.
 *
 * @param family which addresses may be dialed
 * @param bind the local address, or null to leave it to the system
 * @param timeout for everything together: name, all addresses, and TLS where there is TLS
 */
public record Route(IpFamily family, @Nullable InetAddress bind, Duration timeout) {
    /** Any address, from any address. */
    public static Route within(Duration timeout) {
        return new Route(IpFamily.ANY, null, timeout);
    }
}
