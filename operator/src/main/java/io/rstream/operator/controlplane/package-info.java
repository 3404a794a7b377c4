/**
 * Looks up in a control plane where the engine of a project is: what may be asked, one answer kept for each connection, and
 * which engine an answer means. Start at {@link io.rstream.operator.controlplane.LookUps} and {@link
 * io.rstream.operator.controlplane.ControlPlaneClient}.
 */
@NullMarked
package io.rstream.operator.controlplane;

import org.jspecify.annotations.NullMarked;
