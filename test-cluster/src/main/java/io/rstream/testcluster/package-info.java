/**
 * A real API server and etcd for tests and the quickstart, and a proxy before them that breaks calls on purpose. Start at
 * {@link io.rstream.testcluster.LocalCluster} and {@link io.rstream.testcluster.FaultyApi}.
 */
@NullMarked
package io.rstream.testcluster;

import org.jspecify.annotations.NullMarked;
