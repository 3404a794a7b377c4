package io.rstream.engine.tunnels;

import io.rstream.protocol.WireError;

/** What {@link Hostnames} say about the host name of a published HTTP tunnel. */
public sealed interface HostnameDecision {
    /** The name that was asked for, in its canonical form. */
    record Granted(String hostname) implements HostnameDecision {}

    /** The engine chooses one. */
    record Allocate() implements HostnameDecision {}

    /** The name cannot be served. */
    record Refused(WireError error) implements HostnameDecision {}
}
