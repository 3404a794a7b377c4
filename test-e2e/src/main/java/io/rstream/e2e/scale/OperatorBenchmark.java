package io.rstream.e2e.scale;

import io.rstream.e2e.install.Installation;
import io.rstream.e2e.process.JvmFlags;
import io.rstream.e2e.scale.ScaleReport.Creation;
import io.rstream.e2e.scale.ScaleReport.Idle;
import io.rstream.e2e.scale.ScaleReport.Restart;
import io.rstream.process.ExitCode;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Prints what many tunnels cost: one operator process with the flags of its image on a real API server, tunnels created at a
 * steady rate, an idle time, a restart. Figures, not thresholds; the incumbent's stand beside them. Figures go to standard
 * output, progress to standard error.
 */
@Command(name = "bench-operator", description = "Measures the operator with many tunnels.", sortOptions = false)
public final class OperatorBenchmark implements Callable<Integer> {

    private static final Duration READY = Duration.ofMinutes(5);
    private static final Duration SETTLED = Duration.ofSeconds(3);
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final Duration POLL = Duration.ofMillis(500);

    @Option(names = "--tunnels", defaultValue = "1000", description = "How many tunnels. Default ${DEFAULT-VALUE}.")
    private int tunnels;

    @Option(names = "--rate", defaultValue = "50", description = "Created a second. Default ${DEFAULT-VALUE}.")
    private int rate;

    @Option(names = "--idle", defaultValue = "1", description = "Idle minutes. Default ${DEFAULT-VALUE}.")
    private double idleMinutes;

    @Option(names = "--stand-in", description = "Mark Deployments available, as a Deployment controller would.")
    private boolean standIn;

    @Option(
            names = "--operator-jvm-flags",
            split = " ",
            description = "Flags of the operator's JVM, separated by spaces. Default: those of the image.")
    private List<String> jvmFlags = JvmFlags.OPERATOR;

    private final long begin = System.nanoTime();

    private OperatorBenchmark() {}

    /** The entry point; exits 1 when something failed. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new OperatorBenchmark()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, GeneralSecurityException, InterruptedException {
        var folder = Files.createTempDirectory("rstream-bench-operator-");
        progress("starting; the operator's log is in %s while this runs".formatted(folder));
        try (var cluster = LocalCluster.start();
                var api = new RawApi(cluster)) {
            cluster.installCrds();
            cluster.apply(LocalCluster.repositoryRoot().resolve("config/rbac"));
            run(cluster, api, folder).print(System.out);
        } finally {
            Installation.deleteTree(folder);
        }
        return ExitCode.OK;
    }

    private ScaleReport run(LocalCluster cluster, RawApi api, Path folder) throws IOException, InterruptedException {
        var load = loadAverage();
        var marker = new StandIn(api, InstantSource.system());
        Creation creation;
        Idle idle;
        try (var operator = MeasuredOperator.start(cluster, folder, jvmFlags);
                var watch = DeploymentWatch.start(api, standIn ? marker : _ -> {})) {
            operator.awaitReady(READY);
            creation = create(api, operator, watch);
            idle = idle(api, operator);
        }
        var restart = restart(cluster, api, folder);
        if (marker.failures() > 0) {
            progress("%d Deployments could not be marked available".formatted(marker.failures()));
        }
        return new ScaleReport(tunnels, rate, standIn, jvmFlags, load, loadAverage(), creation, idle, restart);
    }

    private Creation create(RawApi api, MeasuredOperator operator, DeploymentWatch watch)
            throws IOException, InterruptedException {
        var tunnelLoad = new TunnelLoad(api, "load-");
        tunnelLoad.prepare(tunnels);
        var before = MutatingCalls.now(api);
        var cpuBefore = operator.figures().cpuSeconds();
        progress("creating %,d tunnels, %d a second".formatted(tunnels, rate));
        var start = System.nanoTime();
        var created = tunnelLoad.create(tunnels, rate, count -> progress("%,d of them created".formatted(count)));
        var sent = seconds(start);
        await("a Deployment for each tunnel", () -> watch.count() >= tunnels);
        var complete = seconds(start);
        progress("every tunnel has a Deployment; waiting for the operator to come to rest");
        var rest = settle(operator);
        var times = new ArrayList<Double>();
        for (var tunnel : created) {
            var seen = watch.firstSeen(tunnel.namespace(), tunnel.name()).orElseThrow();
            times.add((seen - tunnel.sentNanos()) / 1e9);
        }
        var figures = operator.figures();
        return new Creation(
                tunnels / sent,
                tunnels / complete,
                times,
                operator.passes() / ((rest - start) / 1e9),
                operator.passes() / (double) tunnels,
                MutatingCalls.now(api).since(before),
                figures.cpuSeconds() - cpuBefore,
                figures);
    }

    private Idle idle(RawApi api, MeasuredOperator operator) throws IOException, InterruptedException {
        progress("idle for %s minutes".formatted(idleMinutes));
        var before = MutatingCalls.now(api);
        var cpuBefore = operator.figures().cpuSeconds();
        Thread.sleep((long) (idleMinutes * Duration.ofMinutes(1).toMillis()));
        var figures = operator.figures();
        return new Idle(idleMinutes, MutatingCalls.now(api).since(before), figures.cpuSeconds() - cpuBefore, figures);
    }

    private Restart restart(LocalCluster cluster, RawApi api, Path folder) throws IOException, InterruptedException {
        progress("starting the operator again");
        var before = MutatingCalls.now(api);
        var start = System.nanoTime();
        try (var operator = MeasuredOperator.start(cluster, folder, jvmFlags)) {
            operator.awaitReady(READY);
            var ready = seconds(start);
            progress("ready; waiting for a pass over every tunnel");
            await("a pass over every tunnel", () -> operator.passes() >= tunnels);
            var rest = settle(operator);
            return new Restart(
                    ready,
                    (rest - start) / 1e9,
                    operator.passes(),
                    MutatingCalls.now(api).since(before),
                    operator.figures());
        }
    }

    /** Waits until no pass has begun for a while; returns when the last one was noticed. */
    private long settle(MeasuredOperator operator) throws IOException, InterruptedException {
        var passes = operator.passes();
        var since = System.nanoTime();
        while (System.nanoTime() - since < SETTLED.toNanos()) {
            Thread.sleep(POLL);
            var now = operator.passes();
            if (now != passes) {
                passes = now;
                since = System.nanoTime();
            }
        }
        return since;
    }

    private interface Question {
        boolean yes() throws IOException, InterruptedException;
    }

    private static void await(String what, Question question) throws IOException, InterruptedException {
        var end = System.nanoTime() + LIMIT.toNanos();
        while (!question.yes()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("there was not %s within %s".formatted(what, LIMIT));
            }
            Thread.sleep(POLL);
        }
    }

    private static double loadAverage() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static double seconds(long sinceNanos) {
        return (System.nanoTime() - sinceNanos) / 1e9;
    }

    private void progress(String step) {
        System.err.printf(Locale.ROOT, "%7.1f s  %s%n", seconds(begin), step);
    }
}
