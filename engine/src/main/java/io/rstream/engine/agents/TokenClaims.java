package io.rstream.engine.agents;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a valid token says.
 *
 * @param subject who it was made for, or null
 * @param permissions the names of what it allows, or null for everything
 */
public record TokenClaims(
        @Nullable String subject, @Nullable List<String> permissions) {
    /** Copies the list. */
    public TokenClaims {
        permissions = permissions == null ? null : List.copyOf(permissions);
    }
}
