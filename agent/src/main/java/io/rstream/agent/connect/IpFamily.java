package io.rstream.agent.connect;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;

/** Which addresses of a name may be dialed. */
public enum IpFamily {
    /** All of them, in the resolver's order. */
    ANY,
    /** IPv4 only. */
    IPV4,
    /** IPv6 only. */
    IPV6;

    boolean allows(InetAddress address) {
        return switch (this) {
            case ANY -> true;
            case IPV4 -> address instanceof Inet4Address;
            case IPV6 -> address instanceof Inet6Address;
        };
    }
}
