package io.rstream.engine.agents;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a valid token says.
 *
 * @param subject who it was made for, or null
 * @param permissions the names of what it allows, or null for everything
 * @param expiry from when on it is not valid, or null for never
 */
public record TokenClaims(
        @Nullable String subject,
        @Nullable List<String> permissions,
        @Nullable Instant expiry) {
    /** Copies the list. */
    public TokenClaims {
        permissions = permissions == null ? null : List.copyOf(permissions);
    }
}
