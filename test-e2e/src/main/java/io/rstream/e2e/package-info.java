/**
 * The whole system on one machine, for people who try it and for tests. Start at {@link io.rstream.e2e.Quickstart}; tests start at
 * {@link io.rstream.e2e.install.Installation}.
 */
@NullMarked
package io.rstream.e2e;

import org.jspecify.annotations.NullMarked;
