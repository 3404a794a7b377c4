package io.rstream.agent;

import io.rstream.agent.config.AgentConfig.Retry;
import io.rstream.agent.config.ConfigException;
import io.rstream.process.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The checked form of {@code retry} (operator reference, section 4.2).
 *
 * @param initial the first pause between attempts, greater than zero
 * @param max the longest pause, at least {@code initial}
 */
record RetryPauses(Duration initial, Duration max) {
    static RetryPauses of(@Nullable Retry retry) throws ConfigException {
        Duration initial = parse("retry.initial", retry == null ? null : retry.initial(), Duration.ofSeconds(1));
        Duration max = parse("retry.max", retry == null ? null : retry.max(), Duration.ofSeconds(30));
        if (!initial.isPositive()) {
            throw new ConfigException("retry.initial must be greater than zero");
        }
        if (max.compareTo(initial) < 0) {
            throw new ConfigException("retry.max must be greater than or equal to retry.initial");
        }
        return new RetryPauses(initial, max);
    }

    private static Duration parse(String key, @Nullable String text, Duration otherwise) throws ConfigException {
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        try {
            return Durations.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new ConfigException(key + ": " + e.getMessage());
        }
    }
}
