/**
 * Reconciles an RstreamConnection, and resolves connections and their Secrets for tunnels as well. Start at {@link
 * io.rstream.operator.connection.ConnectionResolver} and {@link
 * io.rstream.operator.connection.ConnectionReconciler}.
 */
@NullMarked
package io.rstream.operator.connection;

import org.jspecify.annotations.NullMarked;
