/**
 * Runs the real main classes of engine and agent as processes of their own, with fixed heaps, logs that can be awaited, and
 * an end that is certain. Start at {@link io.rstream.e2e.process.EngineProcess}, {@link
 * io.rstream.e2e.process.AgentProcess} and {@link io.rstream.e2e.process.JavaProcess}.
 */
@NullMarked
package io.rstream.e2e.process;

import org.jspecify.annotations.NullMarked;
