package io.rstream.agent.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialWatchTest {
    @TempDir
    private Path directory;

    private final AtomicInteger changes = new AtomicInteger();

    private CredentialWatch watch(Path... files) {
        return new CredentialWatch(List.of(files), changes::incrementAndGet);
    }

    @Test
    void tellsOnceThatAFileHasOtherContent() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "one");
        CredentialWatch watch = watch(file);
        Files.writeString(file, "one");
        watch.look();
        assertThat(changes).hasValue(0);

        Files.writeString(file, "two");
        watch.look();
        watch.look();

        assertThat(changes).hasValue(1);
    }

    @Test
    void seesTheSwappedLinkOfAMountedVolume() throws Exception {
        Files.writeString(Files.createDirectory(directory.resolve("first")).resolve("token"), "one");
        Files.writeString(Files.createDirectory(directory.resolve("second")).resolve("token"), "two");
        Path data = Files.createSymbolicLink(directory.resolve("..data"), Path.of("first"));
        Path file = Files.createSymbolicLink(directory.resolve("token"), Path.of("..data", "token"));
        CredentialWatch watch = watch(file);

        Path next = Files.createSymbolicLink(directory.resolve("next"), Path.of("second"));
        Files.move(next, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        watch.look();

        assertThat(changes).hasValue(1);
    }

    @Test
    void saysNothingAboutAFileThatIsGoneForAWhile() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "one");
        CredentialWatch watch = watch(file);

        Files.delete(file);
        watch.look();
        Files.writeString(file, "one");
        watch.look();

        assertThat(changes).hasValue(0);
    }

    @Test
    void looksNowAndThenUntilItIsClosed() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "one");
        try (CredentialWatch watch = watch(file)) {
            watch.start(Duration.ofMillis(10));
            Files.writeString(file, "two");

            await().untilAsserted(() -> assertThat(changes).hasPositiveValue());
        }
    }
}
