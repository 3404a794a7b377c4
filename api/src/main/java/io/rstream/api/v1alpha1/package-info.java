/**
 * The two kinds of the tunnel group as users write them, and the rules that an object must obey. Start at {@link
 * io.rstream.api.v1alpha1.RstreamTunnel}, {@link io.rstream.api.v1alpha1.RstreamConnection} and {@link
 * io.rstream.api.v1alpha1.TunnelRules}.
 */
@NullMarked
package io.rstream.api.v1alpha1;

import org.jspecify.annotations.NullMarked;
