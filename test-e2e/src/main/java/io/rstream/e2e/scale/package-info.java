/**
 * Many tunnels and one operator: the figures of {@code make bench-operator}. Start at {@link
 * io.rstream.e2e.scale.OperatorBenchmark}.
 */
@NullMarked
package io.rstream.e2e.scale;

import org.jspecify.annotations.NullMarked;
