/**
 * Tells users of Kubernetes what changed, as Events: which changes are worth one, and how many an object may cause. Start
 * at {@link io.rstream.operator.event.EventRecorder}.
 */
@NullMarked
package io.rstream.operator.event;

import org.jspecify.annotations.NullMarked;
