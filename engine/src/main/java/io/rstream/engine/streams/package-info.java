/** How the engine gets a raw stream to an agent. Start at {@link Broker}. */
@NullMarked
package io.rstream.engine.streams;

import org.jspecify.annotations.NullMarked;
