/**
 * The operator process: flags, wiring of both reconcilers, health and metrics. Start at {@link
 * io.rstream.operator.OperatorMain} and {@link io.rstream.operator.OperatorProcess}.
 */
@NullMarked
package io.rstream.operator;

import org.jspecify.annotations.NullMarked;
