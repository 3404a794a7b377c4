package io.rstream.agent.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.agent.fake.AgentUnderTest;
import io.rstream.agent.fake.AgentUnderTest.Setup;
import io.rstream.agent.fake.FakeService;
import io.rstream.agent.fake.TestCertificates;
import io.rstream.agent.session.SessionTimings;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineConnectorIT {
    @TempDir
    private Path directory;

    @Test
    void noticesAtOnceThatTheOtherEndClosesDuringTheHandshake() throws Exception {
        TestCertificates certificates = TestCertificates.in(directory);
        SessionTimings patient = new SessionTimings(
                Duration.ofMinutes(5), Duration.ofMinutes(5), Duration.ofSeconds(1), Duration.ofSeconds(1), 5_000);
        try (FakeService closing = FakeService.start(connection -> {
            connection.getInputStream().readNBytes(100);
            connection.shutdownOutput();
            connection.getInputStream().readAllBytes();
        })) {
            Setup setup =
                    Setup.of("127.0.0.1:" + closing.port(), 9, certificates).withTimings(patient);

            try (AgentUnderTest agent = AgentUnderTest.start(setup)) {
                await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());
                assertThat(agent.errors().getFirst()).contains("closed");
            }
        }
    }
}
