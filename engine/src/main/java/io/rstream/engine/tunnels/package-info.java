/** Which tunnels exist, under which names, and what they may be. Start at {@link Registry} and {@link PropertyRules}. */
@NullMarked
package io.rstream.engine.tunnels;

import org.jspecify.annotations.NullMarked;
