package io.rstream.engine.agents;

import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.tunnels.Hostnames;
import io.rstream.engine.tunnels.PropertyRules;
import io.rstream.engine.tunnels.Registry;
import io.rstream.engine.tunnels.TcpPorts;
import io.rstream.engine.tunnels.TunnelIds;
import java.time.Clock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to open a tunnel.
 *
 * @param registry all tunnels
 * @param rules what a tunnel may be
 * @param hostnames what it may be called
 * @param tcpPorts ports for published TCP, or null when there are none
 * @param publicPort the port that clients of HTTP tunnels see
 * @param ids makes ids
 * @param clock creation dates
 * @param tunnelsPerSession how many tunnels a session may have
 * @param metrics counts
 */
public record TunnelDesk(
        Registry registry,
        PropertyRules rules,
        Hostnames hostnames,
        @Nullable TcpPorts tcpPorts,
        IntSupplier publicPort,
        TunnelIds ids,
        Clock clock,
        int tunnelsPerSession,
        EngineMetrics metrics) {}
