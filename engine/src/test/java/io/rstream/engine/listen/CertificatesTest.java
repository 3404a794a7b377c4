package io.rstream.engine.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.OpenSsl;
import io.rstream.engine.TestCertificate;
import io.rstream.protocol.CertificateFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CertificatesTest {
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private Certificates certificates;

    @BeforeEach
    void watch(@TempDir Path folder) throws Exception {
        TestCertificate.create("edge.localhost").write(folder, "tls");
        certificates = Certificates.watch(
                new CertificateFiles(folder.resolve("tls.crt"), folder.resolve("tls.key")), scheduler);
    }

    @AfterEach
    void stop() {
        certificates.close();
        scheduler.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http/1.1", "rstrm/1", "rstrm/1 h2", "other"})
    void givesWhoeverMayNeedHalfCloseTheJdk(String alpnNames) {
        assertThat(certificates.forClient(List.of(alpnNames.split(" ", -1)))).isInstanceOf(JdkSslContext.class);
    }

    @Test
    void givesHttp2OpenSslWhereItIsAvailable() {
        boolean jdk = certificates.forClient(List.of("h2", "http/1.1")) instanceof JdkSslContext;

        assertThat(jdk).isEqualTo(!OpenSsl.isAvailable());
    }
}
