/**
 * Streams: the engine asks for one, the agent dials both ends and joins them. Start at {@link
 * io.rstream.agent.stream.StreamAcceptor}.
 */
@NullMarked
package io.rstream.agent.stream;

import org.jspecify.annotations.NullMarked;
