package io.rstream.agent.connect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Notices that files with credentials have other content, by looking now and then: mounted volumes change through links, of
 * which the notifications of file systems say nothing. Between looks it keeps a digest only. Files that cannot be read say
 * nothing about a change, since a volume is replaced in more than one step.
 */
public final class CredentialWatch implements AutoCloseable {
    /** How often agents look; a kubelet takes up to a minute or two to renew a volume anyway. */
    public static final Duration PERIOD = Duration.ofSeconds(10);

    private final List<Path> files;
    private final Runnable changed;
    private byte @Nullable [] known;
    private @Nullable Thread thread;

    /**
     * Looks for the first time; blocks.
     *
     * @param files what is looked at
     * @param changed called after each change, on the watch's own thread
     */
    public CredentialWatch(List<Path> files, Runnable changed) {
        this.files = List.copyOf(files);
        this.changed = changed;
        this.known = digest();
    }

    /** Looks again after each period until it is closed; to be called once. */
    public void start(Duration period) {
        if (!files.isEmpty()) {
            thread = Thread.ofVirtual().name("credentials").start(() -> run(period));
        }
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void run(Duration period) {
        try {
            while (true) {
                Thread.sleep(period);
                look();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    void look() {
        byte[] now = digest();
        if (now != null && !Arrays.equals(now, known)) {
            known = now;
            changed.run();
        }
    }

    private byte @Nullable [] digest() {
        MessageDigest digest = sha256();
        for (Path file : files) {
            try {
                digest.update(sha256().digest(Files.readAllBytes(file)));
            } catch (IOException _) {
                return null;
            }
        }
        return digest.digest();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
