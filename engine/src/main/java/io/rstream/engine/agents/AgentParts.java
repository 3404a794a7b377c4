package io.rstream.engine.agents;

import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.streams.Broker;
import io.rstream.engine.tunnels.TunnelIds;
import io.rstream.protocol.ServerDetails;
import java.time.Duration;

/**
 * What every connection of the native protocol works with.
 *
 * @param authenticator lets clients in
 * @param sessions all control channels
 * @param tunnels opens tunnels
 * @param broker brings streams together
 * @param ids makes ids
 * @param metrics counts
 * @param server what the engine says about itself
 * @param firstFrame how long the first message may take
 */
public record AgentParts(
        Authenticator authenticator,
        Sessions sessions,
        TunnelDesk tunnels,
        Broker broker,
        TunnelIds ids,
        EngineMetrics metrics,
        ServerDetails server,
        Duration firstFrame) {}
