package io.rstream.protocol;

import org.jspecify.annotations.Nullable;

/**
 * How a relay ended. Both channels are closed by then.
 *
 * @param reason why it ended
 * @param firstToSecond bytes read from the first channel
 * @param secondToFirst bytes read from the second channel
 * @param cause what went wrong on the channel that aborted, or null
 */
public record RelayOutcome(
        Reason reason,
        long firstToSecond,
        long secondToFirst,
        @Nullable Throwable cause) {

    /** Why a relay ended. */
    public enum Reason {
        /** Both directions ended in order and everything was delivered. */
        COMPLETED,
        /** The first channel broke: reset, closed before its end, or TLS without close_notify. */
        FIRST_ABORTED,
        /** The second channel broke. */
        SECOND_ABORTED,
        /** Nothing arrived for as long as {@link RelayLimits#idleTimeout()}. */
        IDLE
    }
}
