package io.rstream.engine.tunnels;

import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;

/** What {@link PropertyRules} say about a request for a tunnel. */
public sealed interface PropertyDecision {
    /** The tunnel may exist with these properties; id, host name and port are still to be assigned. */
    record Accepted(TunnelProperties properties) implements PropertyDecision {}

    /** The tunnel may not exist. */
    record Refused(WireError error) implements PropertyDecision {}
}
