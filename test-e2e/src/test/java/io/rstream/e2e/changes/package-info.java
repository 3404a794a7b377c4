/**
 * Agents are replaced while callers use the tunnel. Start at {@link io.rstream.e2e.changes.ChangesWithoutLossE2E}.
 */
@NullMarked
package io.rstream.e2e.changes;

import org.jspecify.annotations.NullMarked;
