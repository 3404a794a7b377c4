package io.rstream.e2e.reliability;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a fault cost.
 *
 * @param name the fault
 * @param noticed what the status had to say
 * @param lost requests that were lost, from the fault until everything worked again; empty when nothing was left to call
 * @param sent requests that were sent in that time
 * @param secondsToTruth until the status said what was true; empty when everything worked again before it said so
 * @param secondsToRecovery from the repair, or from the fault where nobody repairs, until status and calls were good again
 */
public record FaultResult(
        String name,
        String noticed,
        OptionalLong lost,
        long sent,
        OptionalDouble secondsToTruth,
        double secondsToRecovery) {

    /** A line of the table. */
    String row() {
        var requests = lost.isPresent() ? "%d of %d".formatted(lost.getAsLong(), sent) : "none left to send";
        var truth = secondsToTruth.isPresent()
                ? String.format(Locale.ROOT, "%.1f s", secondsToTruth.getAsDouble())
                : "recovered first";
        return String.format(
                Locale.ROOT, "| %s | %s | %s | %s | %.1f s |", name, noticed, requests, truth, secondsToRecovery);
    }
}
