/**
 * The figures of {@code make bench}: memory of agent and engine, and what a tunnel costs against a direct connection. Start at
 * {@link io.rstream.e2e.bench.Benchmark}.
 */
@NullMarked
package io.rstream.e2e.bench;

import org.jspecify.annotations.NullMarked;
