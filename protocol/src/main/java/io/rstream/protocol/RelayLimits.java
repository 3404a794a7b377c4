package io.rstream.protocol;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a relay puts up with.
 *
 * @param idleTimeout how long no byte may arrive from either side before both are closed, or null for no limit
 */
public record RelayLimits(@Nullable Duration idleTimeout) {
    /** No limit. */
    public static final RelayLimits NONE = new RelayLimits(null);

    /** Refuses a time-out that is not positive. */
    public RelayLimits {
        if (idleTimeout != null && !idleTimeout.isPositive()) {
            throw new IllegalArgumentException(
                    "idleTimeout %s is not positive; leave it out for no limit".formatted(idleTimeout));
        }
    }
}
