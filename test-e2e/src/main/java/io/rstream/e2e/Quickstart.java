package io.rstream.e2e;

import io.rstream.e2e.install.Installation;
import io.rstream.e2e.install.InstallationSettings;
import io.rstream.e2e.install.PublicCallers;
import io.rstream.e2e.install.Samples;
import io.rstream.process.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Everything on this machine, from an API server to a public answer: what {@code make quickstart} runs. Stays up until Ctrl-C and
 * leaves nothing behind; after a failure the logs stay, and the last lines on screen say where.
 */
@Command(name = "quickstart", description = "Runs the whole system on this machine and shows that it works.")
public final class Quickstart implements Callable<Integer> {

    private static final Duration TUNNEL_LIMIT = Duration.ofSeconds(60);

    @Option(names = "--once", description = "Exit after the answers instead of staying up.")
    private boolean once;

    private final Progress progress = new Progress(System.out);
    private final List<AutoCloseable> running = new ArrayList<>(); // Guarded by itself; stopped in reverse.
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean interrupted;
    private @Nullable Path directory;

    private Quickstart() {}

    /** The entry point; exits 0 after the answers or after Ctrl-C, 1 when something failed. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Quickstart()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var home = Files.createTempDirectory("rstream-quickstart-");
        directory = home;
        QuickstartLog.install(home.resolve("quickstart.log"));
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopOnSignal, "quickstart-stop"));
        try {
            show(home);
            if (!once) {
                progress.say("\nCtrl-C ends it all.");
                new CountDownLatch(1).await();
            }
            stopAll();
            Installation.deleteTree(home);
            return ExitCode.OK;
        } catch (Exception failure) { // The border of the process: whatever failed becomes one sentence.
            if (interrupted) {
                stopped.await();
                return ExitCode.OK;
            }
            return fail(home, failure);
        } finally {
            stopped.countDown();
        }
    }

    private void show(Path home) throws IOException, InterruptedException {
        progress.say("Everything runs on this machine; files and logs are in " + home);
        PublicCallers.requireCurl();
        var installation = Installation.start(InstallationSettings.forQuickstart(home), progress::step, this::keep);
        var samples = new Samples(installation);
        keep(samples.serve());
        samples.apply();
        progress.step("config/samples applied, demo Services listen");
        var web = samples.awaitReady("web", TUNNEL_LIMIT);
        progress.step("Tunnel web is ready (" + web + ")");
        var echo = samples.awaitReady("echo", TUNNEL_LIMIT);
        progress.step("Tunnel echo is ready (" + echo + ")");
        var byProject = samples.awaitReady("web-by-project", TUNNEL_LIMIT);
        progress.step("Tunnel web-by-project is ready (" + byProject + ")");
        answers(installation, web, echo, byProject);
        progress.step("All answered");
        if (!once) {
            next(installation, web);
        }
    }

    private void answers(Installation installation, String web, String echo, String byProject)
            throws IOException, InterruptedException {
        progress.say("\n$ kubectl get rconn,rtun -A");
        progress.say(installation.kubectl().run("get", "rconn,rtun", "-A").stripTrailing());
        progress.say("\n$ curl " + web);
        progress.say(PublicCallers.curl(web, installation.engine().caFile()).stripTrailing());
        progress.say("\n$ curl " + byProject);
        progress.say(
                PublicCallers.curl(byProject, installation.engine().caFile()).stripTrailing());
        progress.say("\n$ echo 'hello over TCP' | nc " + echo.replace(':', ' '));
        progress.say(PublicCallers.echo(echo, "hello over TCP\n").stripTrailing());
        progress.say("");
    }

    private void next(Installation installation, String web) {
        progress.say("""

                Try next, in another terminal:
                  export KUBECONFIG=%s
                  export PATH=%s:$PATH
                  kubectl get rtun -A
                  kubectl -n %s describe rtun web
                  curl --cacert %s %s""".formatted(
                        installation.kubeconfig(),
                        installation.kubectl().program().getParent(),
                        Samples.NAMESPACE,
                        installation.engine().caFile(),
                        web));
    }

    private int fail(Path home, Exception failure) {
        LoggerFactory.getLogger(Quickstart.class).atError().setCause(failure).log("Quickstart failed");
        synchronized (running) {
            running.stream()
                    .filter(Installation.class::isInstance)
                    .map(Installation.class::cast)
                    .forEach(installation -> keepApiServerLogs(installation, home));
        }
        stopAll();
        removeAllButLogs(home);
        var sentence = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        System.err.println("quickstart failed: " + sentence.lines().findFirst().orElse(""));
        System.err.println("Its logs are in " + home);
        return ExitCode.FAILURE;
    }

    private static void keepApiServerLogs(Installation installation, Path home) {
        try {
            for (var name : List.of("kube-apiserver.log", "etcd.log")) {
                var log = installation.cluster().logDirectory().resolve(name);
                if (Files.exists(log)) {
                    Files.copy(log, home.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException | IllegalStateException _) {
            // The API server had not started, or its logs are gone: the other logs are kept all the same.
        }
    }

    /** Keys, tokens and kubeconfigs go; what a reader needs to find the cause stays. */
    private static void removeAllButLogs(Path home) {
        try (var files = Files.walk(home)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                var name = String.valueOf(file.getFileName());
                var isLog = name.endsWith(".log") || name.endsWith(".err");
                var holdsLogs = Files.isDirectory(file) && !isEmpty(file);
                if (!isLog && !holdsLogs) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            System.err.println("cannot tidy up " + home + ": " + e.getMessage());
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (var inside = Files.list(folder)) {
            return inside.findAny().isEmpty();
        }
    }

    private void keep(AutoCloseable part) {
        synchronized (running) {
            running.add(part);
        }
    }

    private void stopAll() {
        List<AutoCloseable> parts;
        synchronized (running) {
            parts = new ArrayList<>(running.reversed());
            running.clear();
        }
        for (var part : parts) {
            try {
                part.close();
            } catch (Exception failure) { // AutoCloseable declares it; the other parts still have to stop
                LoggerFactory.getLogger(Quickstart.class)
                        .atWarn()
                        .setCause(failure)
                        .log("A part did not stop cleanly");
            }
        }
    }

    /** After Ctrl-C or SIGTERM: stops in order, removes the directory, and ends with 0 as after any orderly end. */
    private void stopOnSignal() {
        if (stopped.getCount() == 0) {
            return;
        }
        interrupted = true;
        progress.say("\nStopping");
        stopAll();
        if (directory != null) {
            Installation.deleteTree(directory);
        }
        stopped.countDown();
        Runtime.getRuntime().halt(ExitCode.OK);
    }
}
