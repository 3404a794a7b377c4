package io.rstream.agent.connect;

import io.rstream.process.Secret;
import org.jspecify.annotations.Nullable;

/**
 * What {@link ProxyCredentials} hold at a time.
 *
 * @param username null when there is none
 * @param password null when there is none
 */
public record ProxyLogin(
        @Nullable Secret username, @Nullable Secret password) {
    /** Neither is there. */
    public static final ProxyLogin NONE = new ProxyLogin(null, null);
}
