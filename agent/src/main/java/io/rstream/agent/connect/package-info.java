/**
 * The way to the engine: transport settings, credentials, TCP, proxy and TLS. Start at {@link
 * io.rstream.agent.connect.EngineConnector} and {@link io.rstream.agent.connect.Dialer}.
 */
@NullMarked
package io.rstream.agent.connect;

import org.jspecify.annotations.NullMarked;
