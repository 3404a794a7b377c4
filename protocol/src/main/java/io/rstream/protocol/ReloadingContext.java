package io.rstream.protocol;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TLS context that follows its files: when their content changes it is built anew, and when that fails the old one stays
 * in use and the log says why. Open connections are not touched. Thread-safe.
 */
public final class ReloadingContext implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReloadingContext.class);

    /** Builds a context from the present content of the files. */
    public interface Source {
        /** Builds it; called on the scheduler's thread. */
        SslContext build() throws IOException, GeneralSecurityException;
    }

    private final List<Path> files;
    private final Source source;
    private final ScheduledFuture<?> polling;
    private volatile SslContext current;
    private volatile @Nullable String problem;
    // Touched by the scheduler only, once the constructor is done.
    private String seen;

    private ReloadingContext(List<Path> files, Source source, ScheduledExecutorService scheduler, Duration interval)
            throws IOException, GeneralSecurityException {
        this.files = List.copyOf(files);
        this.source = source;
        this.seen = fingerprint();
        this.current = source.build();
        long nanos = interval.toNanos();
        this.polling = scheduler.scheduleWithFixedDelay(this::poll, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Builds the first context now and looks at the files every {@code interval}.
     *
     * @param scheduler reads files and so must not be an event loop
     * @throws IOException when a file cannot be read now
     * @throws GeneralSecurityException when the files are of no use now
     */
    public static ReloadingContext watch(
            List<Path> files, Source source, ScheduledExecutorService scheduler, Duration interval)
            throws IOException, GeneralSecurityException {
        return new ReloadingContext(files, source, scheduler, interval);
    }

    /** The newest context that could be built. */
    public SslContext current() {
        return current;
    }

    /** Why the present files are not in use, or null when they are. */
    public @Nullable String problem() {
        return problem;
    }

    /** Stops looking at the files. */
    @Override
    public void close() {
        polling.cancel(false);
    }

    private void poll() {
        try {
            // The fingerprint is taken before the files are read, so that a change in between is seen the next time.
            String present = fingerprint();
            if (present.equals(seen)) {
                return;
            }
            current = source.build();
            seen = present;
            problem = null;
            log.atInfo().addKeyValue("files", files).log("Certificate reloaded");
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            report(e);
        }
    }

    private void report(Exception e) {
        String reason = String.valueOf(e.getMessage());
        if (!reason.equals(problem)) {
            log.atWarn()
                    .addKeyValue("files", files)
                    .addKeyValue("reason", reason)
                    .log("Changed certificate is not usable, the old one stays");
        }
        problem = reason;
        // Whatever the files hold by now, they are tried again until they are of use.
        seen = "";
    }

    private String fingerprint() throws IOException, GeneralSecurityException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Path file : files) {
            digest.update(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
