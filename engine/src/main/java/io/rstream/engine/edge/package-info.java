/**
 * Public traffic: HTTP requests by host name, TCP connections by port. Start at {@link HttpEdge}, {@link HttpExchange} and
 * {@link TcpEdge}.
 */
@NullMarked
package io.rstream.engine.edge;

import org.jspecify.annotations.NullMarked;
