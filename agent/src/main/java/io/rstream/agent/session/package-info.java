/**
 * The control channel: one session from connect to loss, and one session after the other. Start at {@link
 * io.rstream.agent.session.TunnelSession} and {@link io.rstream.agent.session.Reconnector}.
 */
@NullMarked
package io.rstream.agent.session;

import org.jspecify.annotations.NullMarked;
