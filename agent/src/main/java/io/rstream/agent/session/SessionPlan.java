package io.rstream.agent.session;

import io.rstream.agent.connect.EngineConnector;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.TunnelProperties;

/**
 * What one session works with, read and checked anew for each attempt.
 *
 * @param connector the way to the engine
 * @param client identity with credential
 * @param wanted the tunnel to ask for
 */
record SessionPlan(EngineConnector connector, ClientDetails client, TunnelProperties wanted) {}
