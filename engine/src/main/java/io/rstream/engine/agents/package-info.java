/**
 * Agents and dialers: the native protocol on the engine's side. Start at {@link AgentSession}, {@link FirstFrameHandler} and
 * {@link Authenticator}.
 */
@NullMarked
package io.rstream.engine.agents;

import org.jspecify.annotations.NullMarked;
