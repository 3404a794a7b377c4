package io.rstream.e2e.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The lines that a process writes to one of its outputs, as they come. The newest are kept in memory, all of them in a file
 * if there is one. Thread-safe.
 */
public final class ProcessLog {
    private static final int KEPT = 20_000;
    private static final int SHOWN = 30;

    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<LogLine> kept = new ArrayDeque<>();
    private long position;
    private boolean ended;

    private ProcessLog(String name) {
        this.name = name;
    }

    /** Follows a stream to its end on a thread of its own. */
    static ProcessLog follow(String name, InputStream stream, @Nullable Path file) {
        ProcessLog log = new ProcessLog(name);
        Thread.ofPlatform().daemon().name(name + "-log").start(() -> log.readAll(stream, file));
        return log;
    }

    /** How many lines there were so far: what {@link #awaitAfter} takes to ignore them. */
    public long position() {
        lock.lock();
        try {
            return position;
        } finally {
            lock.unlock();
        }
    }

    /** The lines so far, at most the newest 20,000. */
    public List<LogLine> lines() {
        lock.lock();
        try {
            return new ArrayList<>(kept);
        } finally {
            lock.unlock();
        }
    }

    /** The lines so far that hold a text. */
    public List<LogLine> containing(String text) {
        return lines().stream().filter(line -> line.text().contains(text)).toList();
    }

    /**
     * Waits for a line, which may be there already.
     *
     * @param expectation what is waited for, for the failure
     * @throws IllegalStateException when it does not come in time or the process ends without it; the message shows the
     *     newest lines
     */
    public LogLine await(String expectation, Predicate<LogLine> wanted, Duration limit) {
        return awaitAfter(0, expectation, wanted, limit);
    }

    /** Waits like {@link #await} for a line that comes after a {@link #position}. */
    public LogLine awaitAfter(long after, String expectation, Predicate<LogLine> wanted, Duration limit) {
        long nanos = limit.toNanos();
        lock.lock();
        try {
            Optional<LogLine> found = find(after, wanted);
            while (found.isEmpty()) {
                if (ended) {
                    throw new IllegalStateException("%s ended before: %s%n%s".formatted(name, expectation, newest()));
                }
                if (nanos <= 0) {
                    throw new IllegalStateException(
                            "%s did not log within %s: %s%n%s".formatted(name, limit, expectation, newest()));
                }
                nanos = changed.awaitNanos(nanos);
                found = find(after, wanted);
            }
            return found.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for: " + expectation, interrupted);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the output is closed, so that {@link #lines} is complete. */
    void awaitEnd(Duration limit) {
        long nanos = limit.toNanos();
        lock.lock();
        try {
            while (!ended && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** The newest lines as one text, for failures. */
    public String newest() {
        List<LogLine> lines = lines();
        StringBuilder text = new StringBuilder();
        for (LogLine line : lines.subList(Math.max(0, lines.size() - SHOWN), lines.size())) {
            text.append("  ").append(line.text()).append('\n');
        }
        return text.toString();
    }

    private Optional<LogLine> find(long after, Predicate<LogLine> wanted) {
        long skipped = Math.max(0, after - (position - kept.size()));
        return kept.stream().skip(skipped).filter(wanted).findFirst();
    }

    private void readAll(InputStream stream, @Nullable Path file) {
        try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
                Writer copy = file == null ? Writer.nullWriter() : Files.newBufferedWriter(file)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                copy.append(line).append('\n').flush();
                add(LogLine.of(line));
            }
        } catch (IOException gone) {
            add(LogLine.of("(output of " + name + " was cut: " + gone.getMessage() + ")"));
        } catch (UncheckedIOException malformed) {
            add(LogLine.of("(output of " + name + " is not text)"));
        } finally {
            end();
        }
    }

    private void add(LogLine line) {
        lock.lock();
        try {
            kept.add(line);
            position++;
            if (kept.size() > KEPT) {
                kept.remove();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
