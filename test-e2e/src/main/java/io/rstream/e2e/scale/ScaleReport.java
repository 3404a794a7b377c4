package io.rstream.e2e.scale;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * The figures of one run beside those of the incumbent, which were measured on two cores with one worker and no stand-in.
 *
 * @param tunnels how many there were
 * @param rate how many should have been created a second
 * @param standIn whether Deployments were marked available
 * @param jvmFlags flags of the operator's JVM
 * @param loadBefore the machine's load average before the run
 * @param loadAfter the same after it
 */
record ScaleReport(
        int tunnels,
        int rate,
        boolean standIn,
        List<String> jvmFlags,
        double loadBefore,
        double loadAfter,
        Creation creation,
        Idle idle,
        Restart restart) {

    private static final double MEBIBYTE = 1 << 20;
    private static final double INCUMBENT_P50 = 42;
    private static final double INCUMBENT_P99 = 64;
    private static final double INCUMBENT_TUNNELS_A_SECOND = 12;
    private static final double INCUMBENT_CALLS = 10.3;
    private static final double INCUMBENT_MIB_AT_1000 = 93;
    private static final double INCUMBENT_MIB_AT_10000 = 523;
    private static final double UNKNOWN = Double.NaN;

    /**
     * While tunnels were created, and until the operator had nothing left to do.
     *
     * @param sentPerSecond tunnels created a second
     * @param donePerSecond the same until the last Deployment was there
     * @param seconds from the request that creates a tunnel to its Deployment, for each tunnel
     * @param passesPerSecond passes over tunnels a second, until the last one
     */
    record Creation(
            double sentPerSecond,
            double donePerSecond,
            List<Double> seconds,
            double passesPerSecond,
            double passesPerTunnel,
            MutatingCalls calls,
            double cpuSeconds,
            ProcessFigures figures) {

        Creation {
            seconds = seconds.stream().sorted().toList();
        }

        double percentile(double part) {
            return seconds.get((int) Math.min(seconds.size() - 1L, Math.round(part * seconds.size())));
        }
    }

    /** While nobody changed anything. */
    record Idle(double minutes, MutatingCalls calls, double cpuSeconds, ProcessFigures figures) {}

    /**
     * An operator that starts and finds everything as it should be.
     *
     * @param readySeconds from the start of the process to /readyz
     * @param settledSeconds from the start of the process to the last pass
     */
    record Restart(
            double readySeconds, double settledSeconds, long passes, MutatingCalls calls, ProcessFigures figures) {}

    /** Prints a table. */
    void print(PrintStream out) {
        line(out, "");
        line(
                out,
                "%d cores, Java %s, load average %.1f before and %.1f after",
                Runtime.getRuntime().availableProcessors(),
                Runtime.version(),
                loadBefore,
                loadAfter);
        line(out, "Operator: %s", String.join(" ", jvmFlags));
        line(
                out,
                "%,d tunnels, %d a second asked for, %.1f created; Deployments %s",
                tunnels,
                rate,
                creation.sentPerSecond(),
                standIn ? "marked available" : "left alone");
        line(out, "");
        line(out, "%-46s %10s %10s %8s", "", "measured", "incumbent", "ratio");
        printCreation(out);
        printMemory(out);
        printCalls(out);
        printIdleAndRestart(out);
    }

    private void printCreation(PrintStream out) {
        row(out, "time to the Deployment, p50, s", creation.percentile(0.5), INCUMBENT_P50);
        row(out, "time to the Deployment, p99, s", creation.percentile(0.99), INCUMBENT_P99);
        row(out, "time to the Deployment, longest, s", creation.percentile(1), UNKNOWN);
        row(out, "tunnels a second", creation.donePerSecond(), INCUMBENT_TUNNELS_A_SECOND);
        row(out, "passes a second", creation.passesPerSecond(), UNKNOWN);
        row(out, "passes for each tunnel", creation.passesPerTunnel(), UNKNOWN);
        row(out, "CPU for each tunnel, ms", creation.cpuSeconds() * 1_000 / tunnels, UNKNOWN);
    }

    private void printMemory(PrintStream out) {
        var incumbent = switch (tunnels) {
            case 1_000 -> INCUMBENT_MIB_AT_1000;
            case 10_000 -> INCUMBENT_MIB_AT_10000;
            default -> UNKNOWN;
        };
        row(out, "resident memory, MiB", creation.figures().residentBytes() / MEBIBYTE, incumbent);
        row(out, "    at most", creation.figures().peakBytes() / MEBIBYTE, UNKNOWN);
        row(out, "    after the idle time", idle.figures().residentBytes() / MEBIBYTE, UNKNOWN);
    }

    private void printCalls(PrintStream out) {
        var calls = standIn ? creation.calls().without("PATCH deployments/status") : creation.calls();
        row(out, "mutating calls for each tunnel", calls.total() / (double) tunnels, INCUMBENT_CALLS);
        calls.sorted().forEach((what, count) -> row(out, "    " + what, count / (double) tunnels, UNKNOWN));
    }

    private void printIdleAndRestart(PrintStream out) {
        row(
                out,
                "writes in %s idle minutes".formatted(idle.minutes()),
                (double) idle.calls().total(),
                0);
        row(out, "CPU in the idle time, s", idle.cpuSeconds(), UNKNOWN);
        row(out, "ready after a restart, s", restart.readySeconds(), UNKNOWN);
        row(out, "    every tunnel looked at, s", restart.settledSeconds(), UNKNOWN);
        row(out, "    passes for each tunnel", restart.passes() / (double) tunnels, UNKNOWN);
        row(out, "    writes", (double) restart.calls().total(), UNKNOWN);
        row(out, "    CPU, s", restart.figures().cpuSeconds(), UNKNOWN);
        row(out, "    resident memory, MiB", restart.figures().residentBytes() / MEBIBYTE, UNKNOWN);
        if (!idle.calls().counts().isEmpty() || !restart.calls().counts().isEmpty()) {
            line(
                    out,
                    "idle writes: %s; writes after the restart: %s",
                    idle.calls().sorted(),
                    restart.calls().sorted());
        }
    }

    private static void row(PrintStream out, String name, double measured, double incumbent) {
        if (Double.isNaN(incumbent)) {
            line(out, "%-46s %10.2f", name, measured);
        } else if (incumbent == 0) {
            line(out, "%-46s %10.2f %10.2f", name, measured, incumbent);
        } else {
            line(out, "%-46s %10.2f %10.2f %8.3f", name, measured, incumbent, measured / incumbent);
        }
    }

    private static void line(PrintStream out, String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
    }
}
