package io.rstream.agent.connect;

import io.rstream.process.Secret;
import org.jspecify.annotations.Nullable;

/**
 * What the two environment variables of {@code connection.transport.proxy} hold.
 *
 * @param username null when its variable is not named or empty
 * @param password null when its variable is not named or empty
 */
public record ProxyLogin(
        @Nullable Secret username, @Nullable Secret password) {
    /** Neither is there. */
    public static final ProxyLogin NONE = new ProxyLogin(null, null);
}
