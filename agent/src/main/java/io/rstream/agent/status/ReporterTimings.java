package io.rstream.agent.status;

import java.time.Duration;

/**
 * When the reporter calls.
 *
 * @param firstRetry pause after the first failed call; it doubles
 * @param longestRetry the longest pause, also the one after an answer that will not change by itself
 * @param refresh how often the object is read again to see whether it still says what it should
 * @param unsaid how often it is read while the report of another agent stands in place of one's own
 * @param farewell how long the last report may take when the process ends
 */
public record ReporterTimings(
        Duration firstRetry, Duration longestRetry, Duration refresh, Duration unsaid, Duration farewell) {
    /** What agents use. */
    public static final ReporterTimings DEFAULT = new ReporterTimings(
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofMinutes(2),
            Duration.ofSeconds(10),
            Duration.ofSeconds(3));
}
