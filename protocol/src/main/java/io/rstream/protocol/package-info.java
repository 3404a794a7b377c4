/**
 * The rstream tunnel protocol: messages, framing, liveness, TLS set-up and the byte relay that agent and engine share.
 *
 * <p>Start at {@link io.rstream.protocol.Message}, {@link io.rstream.protocol.WirePipeline} and
 * {@link io.rstream.protocol.ByteRelay}.
 */
@NullMarked
package io.rstream.protocol;

import org.jspecify.annotations.NullMarked;
