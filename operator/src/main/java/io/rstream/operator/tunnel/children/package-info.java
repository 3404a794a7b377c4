/**
 * The five objects that run the agent of one tunnel: pure functions that say what they should be, and the one class that
 * applies them. Start at {@link io.rstream.operator.tunnel.children.AgentWorkload}, then {@link
 * io.rstream.operator.tunnel.children.AgentDeployment} and {@link io.rstream.operator.tunnel.children.ChildApplier}.
 */
@NullMarked
package io.rstream.operator.tunnel.children;

import org.jspecify.annotations.NullMarked;
