/** The engine's one configuration file. Start at {@link EngineConfig} and {@link EngineConfigFile}. */
@NullMarked
package io.rstream.engine.config;

import org.jspecify.annotations.NullMarked;
