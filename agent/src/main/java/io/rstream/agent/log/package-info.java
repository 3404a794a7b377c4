/**
 * What the agent's log records have in common. Start at {@link io.rstream.agent.log.TunnelName}.
 */
@NullMarked
package io.rstream.agent.log;

import org.jspecify.annotations.NullMarked;
