/**
 * Reconciles an RstreamTunnel: reads what it refers to, decides what should be, applies the children that differ and
 * reports. Start at {@link io.rstream.operator.tunnel.TunnelReconciler}, then {@link
 * io.rstream.operator.tunnel.TunnelPlanner} and {@link io.rstream.operator.tunnel.TunnelConditions}.
 */
@NullMarked
package io.rstream.operator.tunnel;

import org.jspecify.annotations.NullMarked;
