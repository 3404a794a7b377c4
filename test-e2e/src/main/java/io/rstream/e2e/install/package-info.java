/**
 * Everything on one machine: API server, engine, operator, local node and demo Services. Start at {@link
 * io.rstream.e2e.install.Installation}, {@link io.rstream.e2e.install.Kubectl} and {@link io.rstream.e2e.install.DemoServices}.
 */
@NullMarked
package io.rstream.e2e.install;

import org.jspecify.annotations.NullMarked;
