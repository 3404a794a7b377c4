package io.rstream.e2e.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A main class of this class path in a JVM of its own. Whatever happens to this JVM short of SIGKILL, the process is gone
 * afterwards: at {@link #close}, else by a shutdown hook.
 */
public final class JavaProcess implements AutoCloseable {
    private static final Duration STOP = Duration.ofSeconds(45);
    private static final Duration LAST_CHANCE = Duration.ofSeconds(5);
    private static final Duration LOG_END = Duration.ofSeconds(5);
    private static final List<String> INHERITED = List.of("PATH", "HOME", "LANG", "TMPDIR");
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(JavaProcess::endAll));
    }

    private final JavaLaunch launch;
    private final Process process;
    private final ProcessLog log;
    private final ProcessLog errors;

    private JavaProcess(JavaLaunch launch, Process process) {
        this.launch = launch;
        this.process = process;
        this.log = ProcessLog.follow(launch.name(), process.getInputStream(), file(launch, ".log"));
        this.errors = ProcessLog.follow(launch.name() + " (errors)", process.getErrorStream(), file(launch, ".err"));
    }

    /** Starts a process and returns at once. */
    public static JavaProcess start(JavaLaunch launch) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(launch.jvmFlags());
        command.add(launch.mainClass());
        command.addAll(launch.arguments());
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.keySet().retainAll(INHERITED);
        // By variable, since a class path is too long to read in a list of processes.
        environment.put("CLASSPATH", classPath());
        environment.putAll(launch.environment());
        Process process = builder.start();
        RUNNING.add(process);
        var _ = process.onExit().thenRun(() -> RUNNING.remove(process));
        process.getOutputStream().close();
        return new JavaProcess(launch, process);
    }

    /** What failures call it. */
    public String name() {
        return launch.name();
    }

    /** The id of the operating system. */
    public long pid() {
        return process.pid();
    }

    /** Whether it runs. */
    public boolean alive() {
        return process.isAlive();
    }

    /** What it writes to standard output: its log, one JSON object a line. */
    public ProcessLog log() {
        return log;
    }

    /** What it writes to standard error: the JVM's own words and those about wrong flags. */
    public ProcessLog errors() {
        return errors;
    }

    /**
     * Waits for the end and for the last line of both outputs.
     *
     * @return the exit code; 128 + n for one that signal n ended
     * @throws IllegalStateException when it does not end in time
     */
    public int awaitExit(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(
                        "%s did not end within %s%n%s".formatted(launch.name(), limit, log.newest()));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the end of " + launch.name(), interrupted);
        }
        log.awaitEnd(LOG_END);
        errors.awaitEnd(LOG_END);
        return process.exitValue();
    }

    /** Asks it to end (SIGTERM), as the kubelet does, and does not wait. */
    public void terminate() {
        process.destroy();
    }

    /** Ends it without a word (SIGKILL) and waits until it is gone. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(STOP);
    }

    /** Ends it in order, or by force when it does not obey. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** In order first, since the engine and the agents close their tunnels then; by force what does not obey. */
    private static void endAll() {
        RUNNING.forEach(Process::destroy);
        for (Process process : RUNNING) {
            try {
                if (!process.waitFor(LAST_CHANCE.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException interrupted) {
                RUNNING.forEach(Process::destroyForcibly);
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Without test classes, so that a process cannot behave in a test as it never does for users. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.replace(File.separatorChar, '/').endsWith("/target/test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static @Nullable Path file(JavaLaunch launch, String suffix) {
        Path folder = launch.folder();
        return folder == null ? null : folder.resolve(launch.name().replace(File.separatorChar, '-') + suffix);
    }
}
