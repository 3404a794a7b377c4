/** Many tunnels and several operators. Start at {@link io.rstream.e2e.scale.LeaderElectionE2E}. */
@NullMarked
package io.rstream.e2e.scale;

import org.jspecify.annotations.NullMarked;
