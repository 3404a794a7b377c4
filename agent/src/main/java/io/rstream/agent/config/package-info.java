/**
 * The agent's configuration file as records, its strict reader and its writer. Start at {@link
 * io.rstream.agent.config.AgentConfig} and {@link io.rstream.agent.config.AgentConfigFile}.
 */
@NullMarked
package io.rstream.agent.config;

import org.jspecify.annotations.NullMarked;
