package io.rstream.agent.session;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** Where a {@link TunnelSession} stands; the drawing is there. */
sealed interface SessionState {
    /** Credentials are read, then the engine is dialed. */
    record Connecting() implements SessionState {}

    /** OpenControlChannelReq is sent. */
    record Opening(Channel channel) implements SessionState {}

    /** OpenTunnelReq is sent. */
    record Creating(Channel channel, String requestId) implements SessionState {}

    /** Streams are served. */
    record Online(Channel channel, String tunnelId) implements SessionState {}

    /** An orderly end is under way; the channel is null when there is none or it was lost meanwhile. */
    record Closing(@Nullable Channel channel, Step step) implements SessionState {
        enum Step {
            /** CloseTunnelReq is sent. */
            TUNNEL,
            /** Open streams may end. */
            STREAMS,
            /** CloseControlChannelReq is sent. */
            CONTROL
        }
    }

    /** Nothing more happens. */
    record Ended() implements SessionState {}
}
