/**
 * The process next to the Service: holds one tunnel open and carries its streams. Start at {@link
 * io.rstream.agent.AgentMain}.
 */
@NullMarked
package io.rstream.agent;

import org.jspecify.annotations.NullMarked;
