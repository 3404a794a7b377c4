package io.rstream.e2e.reliability;

import io.rstream.e2e.install.Installation;
import io.rstream.e2e.install.InstallationSettings;
import io.rstream.process.ExitCode;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lets every fault of docs/reliability.md happen, about ten minutes, and writes the page's table. Progress goes to standard error. */
@Command(name = "reliability", description = "Measures what faults cost and writes docs/reliability.md.")
public final class Reliability implements Callable<Integer> {

    @Option(names = "--page", description = "The page to write. Default docs/reliability.md of the checkout.")
    private Path page = Path.of("docs", "reliability.md");

    @Option(names = "--away", defaultValue = "60", description = "Seconds that the API server is away. Default 60.")
    private int away;

    @Option(names = "--held", defaultValue = "20", description = "Seconds that it answers errors. Default 20.")
    private int held;

    private final long begin = System.nanoTime();

    private Reliability() {}

    /** The entry point; exits 1 when a fault leaves something broken. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Reliability()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        var folder = Files.createTempDirectory("rstream-reliability-");
        progress("starting; logs are in %s while this runs".formatted(folder));
        List<FaultResult> results;
        try (var installation = Installation.start(InstallationSettings.forTests(folder), this::progress, _ -> {})) {
            results = faults(installation);
        } finally {
            Installation.deleteTree(folder);
        }
        ReliabilityPage.write(page, LocalDate.now(ZoneOffset.UTC), machine(), results);
        return ExitCode.OK;
    }

    private List<FaultResult> faults(Installation installation) throws Exception {
        var results = new ArrayList<FaultResult>();
        try (var run = FaultRun.start(installation)) {
            var listed = Stream.of(
                            Faults.ofProcesses(Duration.ofSeconds(away)),
                            Faults.ofAnswers(Duration.ofSeconds(held)),
                            Faults.ofObjects())
                    .flatMap(List::stream)
                    .toList();
            for (var fault : listed) {
                results.add(run(run, fault));
            }
            try (var clock = MovedClock.start(run.scene())) {
                for (var fault : clock.faults()) {
                    results.add(run(run, fault));
                }
            }
            results.add(say(run.deleteNamespaceWithoutOperator()));
        }
        return results;
    }

    private FaultResult run(FaultRun run, Fault fault) throws Exception {
        progress(fault.name());
        return say(run.run(fault));
    }

    private FaultResult say(FaultResult result) {
        progress(result.row());
        return result;
    }

    private static String machine() {
        return String.format(
                Locale.ROOT,
                "%d cores, Java %s, load average %.1f at the end",
                Runtime.getRuntime().availableProcessors(),
                Runtime.version(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private void progress(String step) {
        System.err.printf(Locale.ROOT, "%6.1f s  %s%n", (System.nanoTime() - begin) / 1e9, step);
    }
}
