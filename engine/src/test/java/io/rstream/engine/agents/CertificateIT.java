package io.rstream.engine.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.TestAgent;
import io.rstream.engine.TestCertificate;
import io.rstream.engine.WireClient;
import io.rstream.protocol.CertificateFiles;
import io.rstream.protocol.Message.OpenControlChannelAccepted;
import io.rstream.protocol.Message.OpenControlChannelRefused;
import io.rstream.protocol.Message.OpenControlChannelRequest;
import io.rstream.protocol.Message.OpenTunnelAccepted;
import io.rstream.protocol.Message.OpenTunnelRequest;
import io.rstream.protocol.Message.ProxyConnectionRequest;
import io.rstream.protocol.Message.ProxyRequest;
import io.rstream.protocol.Message.StreamRequest;
import io.rstream.protocol.TunnelProperties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CertificateIT {
    private static final TestCertificate KNOWN = TestCertificate.create("agent");
    private static final TestCertificate STRANGE = TestCertificate.create("stranger");
    private static EngineFixture engine;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start(
                "auth: {tokenSecretFile: secret, certificates: [{sha256: %s, name: agent}]}"
                        .formatted(KNOWN.fingerprint()),
                "timeouts: {drain: 1s}");
        KNOWN.write(engine.folder, "known");
        STRANGE.write(engine.folder, "strange");
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @Test
    void admitsARegisteredCertificateInsteadOfAToken() {
        try (WireClient client = WireClient.connect(engine, files("known"))) {
            client.send(new OpenControlChannelRequest(TestAgent.details(null), null));

            assertThat(client.take()).isInstanceOf(OpenControlChannelAccepted.class);
        }
    }

    @Test
    void refusesACertificateThatNobodyRegistered() {
        try (WireClient client = WireClient.connect(engine, files("strange"))) {
            client.send(new OpenControlChannelRequest(TestAgent.details(null), null));

            assertThat(client.take(OpenControlChannelRefused.class).error().code())
                    .isEqualTo(1000);
        }
    }

    @Test
    void refusesTokenAndCertificateTogether() {
        try (WireClient client = WireClient.connect(engine, files("known"))) {
            client.send(new OpenControlChannelRequest(TestAgent.details(EngineFixture.token()), null));

            assertThat(client.take(OpenControlChannelRefused.class).error().message())
                    .contains("cannot be used together");
        }
    }

    @Test
    void takesTheSecretOfAStreamFromAnAgentWithACertificate() {
        try (WireClient control = WireClient.connect(engine, files("known"));
                WireClient dialer = WireClient.connect(engine, files("known"));
                WireClient back = WireClient.connect(engine, files("known"))) {
            control.send(new OpenControlChannelRequest(TestAgent.details(null), null));
            control.take(OpenControlChannelAccepted.class);
            control.send(new OpenTunnelRequest(
                    "1", TunnelProperties.builder().publish(false).name("db").build()));
            control.take(OpenTunnelAccepted.class);

            dialer.sendThenRaw(new StreamRequest(TestAgent.details(null), "db", true, false), "ping");
            ProxyConnectionRequest request = control.take(ProxyConnectionRequest.class);
            back.sendThenRaw(new ProxyRequest(TestAgent.details(request.secret()), request.streamId(), true), "");

            assertThat(back.readText(4)).isEqualTo("ping");
        }
    }

    private static CertificateFiles files(String name) {
        return new CertificateFiles(engine.folder.resolve(name + ".crt"), engine.folder.resolve(name + ".key"));
    }
}
