/**
 * What the agent sees, in the status of its tunnel object. Start at {@link
 * io.rstream.agent.status.StatusReporter}.
 */
@NullMarked
package io.rstream.agent.status;

import org.jspecify.annotations.NullMarked;
