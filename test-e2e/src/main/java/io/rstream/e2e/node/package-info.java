/**
 * Stands in for a node where no real one runs: agents as processes with what a pod would give them, and names of Services on
 * loopback. Start at {@link io.rstream.e2e.node.LocalNode} and {@link io.rstream.e2e.node.LocalServices}.
 */
@NullMarked
package io.rstream.e2e.node;

import org.jspecify.annotations.NullMarked;
