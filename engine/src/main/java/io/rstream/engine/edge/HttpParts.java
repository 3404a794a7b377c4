package io.rstream.engine.edge;

import io.rstream.engine.api.EngineApi;
import io.rstream.engine.config.EngineConfig.Limits;
import io.rstream.engine.config.EngineConfig.Timeouts;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.streams.Broker;
import io.rstream.engine.tunnels.Registry;

/**
 * What the HTTP edge works with.
 *
 * @param engineHost requests for this host, for {@code localhost} and for IP addresses go to the API
 * @param api the engine's own API
 * @param registry tunnels by host name
 * @param broker streams to agents
 * @param metrics counts
 * @param timeouts how long to wait
 * @param limits how much to take
 */
public record HttpParts(
        String engineHost,
        EngineApi api,
        Registry registry,
        Broker broker,
        EngineMetrics metrics,
        Timeouts timeouts,
        Limits limits) {}
