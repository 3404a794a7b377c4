package io.rstream.testcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HardKillIT {

    @Test
    void leavesNeitherProcessNorFileWhenItsJvmIsKilled() throws Exception {
        var jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var directory = Path.of(jvm.inputReader().readLine());
        var servers = jvm.descendants().toList();
        assertThat(servers).isNotEmpty();

        jvm.destroyForcibly();

        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
            assertThat(servers).noneMatch(ProcessHandle::isAlive);
            assertThat(Files.exists(directory)).isFalse();
        });
    }

    /** Starts a cluster and waits to be killed. */
    static final class Holder {

        public static void main(String[] arguments) throws InterruptedException {
            System.out.println(LocalCluster.start().logDirectory());
            new CountDownLatch(1).await();
        }
    }
}
