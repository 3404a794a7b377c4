/** What the engine counts. Start at {@link EngineMetrics}, which declares every meter. */
@NullMarked
package io.rstream.engine.metrics;

import org.jspecify.annotations.NullMarked;
