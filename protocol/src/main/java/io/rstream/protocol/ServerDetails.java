package io.rstream.protocol;

import org.jspecify.annotations.Nullable;

/**
 * What an engine says about itself (rstream protocol, section 6.2); every value may be null.
 *
 * @param agent product name of the engine
 * @param channel release channel
 * @param version engine version
 * @param plan plan of the project
 * @param provider cloud provider
 * @param region region
 * @param update announcement of a client update; its format is not known, so we leave it out
 */
public record ServerDetails(
        @Nullable String agent,
        @Nullable String channel,
        @Nullable String version,
        @Nullable String plan,
        @Nullable String provider,
        @Nullable String region,
        @Nullable String update) {}
