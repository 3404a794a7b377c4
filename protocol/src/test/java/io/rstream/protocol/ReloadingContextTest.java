package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadingContextTest {
    private static final Duration INTERVAL = Duration.ofMillis(5);

    @TempDir
    Path directory;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger builds = new AtomicInteger();
    private CertificateFiles files;

    @BeforeEach
    void createCertificate() {
        files = TestCertificate.ec().in(directory);
    }

    @AfterEach
    void stopScheduler() {
        scheduler.close();
    }

    @Test
    void takesANewPairIntoUse() throws Exception {
        try (ReloadingContext context = watch()) {
            SslContext before = context.current();

            TestCertificate.rsa().in(directory);

            await().untilAsserted(() -> {
                assertThat(context.current()).isNotSameAs(before);
                assertThat(context.problem()).isNull();
            });
        }
    }

    @Test
    void keepsTheOldContextWhileTheNewPairIsBroken() throws Exception {
        try (ReloadingContext context = watch()) {
            SslContext before = context.current();

            Files.writeString(files.privateKey(), TestCertificate.ec().pkcs8Pem());
            await().untilAsserted(() -> assertThat(context.problem()).contains("does not belong"));
            assertThat(context.current()).isSameAs(before);
            TestCertificate.ec().in(directory);

            await().untilAsserted(() -> {
                assertThat(context.problem()).isNull();
                assertThat(context.current()).isNotSameAs(before);
            });
        }
    }

    @Test
    void survivesAFileThatIsAwayForAWhile() throws Exception {
        try (ReloadingContext context = watch()) {
            String key = Files.readString(files.privateKey());

            Files.delete(files.privateKey());
            await().untilAsserted(() -> assertThat(context.problem()).contains("tls.key"));
            Files.writeString(files.privateKey(), key);

            await().untilAsserted(() -> assertThat(context.problem()).isNull());
        }
    }

    @Test
    void builtOnlyWhenTheContentChanges() throws Exception {
        AtomicInteger polls = new AtomicInteger();
        try (ReloadingContext context = watch()) {
            var _ = scheduler.scheduleWithFixedDelay(polls::incrementAndGet, 5, 5, TimeUnit.MILLISECONDS);

            Files.writeString(files.certificateChain(), Files.readString(files.certificateChain()));
            // The same single thread runs both, so the files were looked at about as often.
            await().until(() -> polls.get() > 10);

            assertThat(context.problem()).isNull();
            assertThat(builds).hasValue(1);
        }
    }

    @Test
    void doesNotStartWithFilesThatAreOfNoUse() throws Exception {
        Files.writeString(files.privateKey(), "no key");

        assertThatThrownBy(this::watch).hasMessageContaining("tls.key holds no private key");
    }

    @Test
    void doesNotStartWithoutFiles() throws Exception {
        Files.delete(files.certificateChain());

        assertThatThrownBy(this::watch).isInstanceOf(IOException.class).hasMessageContaining("tls.crt");
    }

    private ReloadingContext watch() throws Exception {
        return ReloadingContext.watch(
                List.of(files.certificateChain(), files.privateKey()),
                () -> {
                    builds.incrementAndGet();
                    return TransportSecurity.server(
                            files,
                            List.of(TransportSecurity.ALPN_RSTREAM),
                            TransportSecurity.ClientCertificate.NONE,
                            TlsVersion.TLS_1_3,
                            TransportSecurity.Engine.JDK);
                },
                scheduler,
                INTERVAL);
    }
}
