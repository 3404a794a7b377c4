package io.rstream.agent.stream;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.rstream.agent.connect.Dialer;
import io.rstream.agent.connect.Route;
import java.time.Duration;

/**
 * Dials the Service. TLS to the Service is the engine's business, inside the stream (rstream protocol, section 15.5).
 * Thread-safe.
 *
 * @param dialer makes the connections
 * @param host name or address of the Service
 * @param port 1 to 65535
 * @param timeout for name and connection together
 */
public record Upstream(Dialer dialer, String host, int port, Duration timeout) {
    /** How long the Service may take to accept (operator reference, section 4.8). */
    public static final Duration TIMEOUT = Duration.ofSeconds(10);

    /**
     * A connection with half-close and auto-read off; fails with a text that names target and cause.
     *
     * @param most what is left for the stream, when that is less than {@code timeout}
     */
    Future<Channel> dial(EventLoop loop, Duration most) {
        Duration limit = timeout.compareTo(most) < 0 ? timeout : most;
        return dialer.dial(loop, host, port, Route.within(limit), (_, _) -> {});
    }

    /** {@code host:port}, as users write it. */
    public String target() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
