/**
 * The process at the edge: agents on one side, public traffic on the other. Start at {@link EngineMain} (flags) and
 * {@link Engine} (wiring).
 */
@NullMarked
package io.rstream.engine;

import org.jspecify.annotations.NullMarked;
