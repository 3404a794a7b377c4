package io.rstream.agent.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.agent.config.AgentConfig.Proxy;
import io.rstream.agent.config.AgentConfig.Transport;
import io.rstream.agent.fake.AgentUnderTest;
import io.rstream.agent.fake.AgentUnderTest.Setup;
import io.rstream.agent.fake.FakeEngine;
import io.rstream.agent.fake.FakeProxy;
import io.rstream.agent.fake.FakeService;
import io.rstream.agent.fake.TestCertificates;
import io.rstream.agent.session.SessionTimings;
import io.rstream.process.Secret;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpProxyIT {
    @TempDir
    private Path directory;

    private static Transport through(FakeProxy proxy, boolean login) {
        return new Transport(
                null,
                null,
                null,
                null,
                null,
                new Proxy(proxy.url(), login ? "U" : null, login ? "P" : null, Map.of("X-Site", "shop")),
                null);
    }

    @Test
    void controlChannelAndStreamsGoThroughTheProxy() throws Exception {
        TestCertificates certificates = TestCertificates.in(directory);
        Setup setup;
        try (FakeProxy proxy = FakeProxy.accepting();
                FakeEngine engine = FakeEngine.start(certificates);
                FakeService service = FakeService.echo()) {
            setup = Setup.of(engine, service.port(), certificates)
                    .withTransport(through(proxy, true), new ProxyLogin(Secret.of("user"), Secret.of("pass")));

            try (AgentUnderTest agent = AgentUnderTest.start(setup)) {
                await().untilAsserted(() -> assertThat(agent.online()).hasSize(1));
                try (Socket caller = engine.dial()) {
                    caller.getOutputStream().write('p');
                    assertThat(caller.getInputStream().read()).isEqualTo('p');
                }
                assertThat(proxy.requests)
                        .hasSize(2)
                        .allSatisfy(request -> assertThat(request)
                                .startsWith("CONNECT " + engine.address() + " HTTP/1.1")
                                .anySatisfy(line -> assertThat(line).isEqualToIgnoringCase("x-site: shop"))
                                .anySatisfy(line -> assertThat(line)
                                        .isEqualToIgnoringCase("proxy-authorization: Basic dXNlcjpwYXNz")));
            }
        }
    }

    @Test
    void waitsForTheProxyNoLongerThanItMay() throws Exception {
        TestCertificates certificates = TestCertificates.in(directory);
        SessionTimings impatient = new SessionTimings(
                Duration.ofMillis(300), Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofSeconds(1), 5_000);
        try (FakeService silent =
                FakeService.start(connection -> connection.getInputStream().readAllBytes())) {
            Proxy proxy = new Proxy("http://127.0.0.1:" + silent.port(), null, null, Map.of());
            Setup setup = Setup.of("edge.example.com:443", 9, certificates)
                    .withTimings(impatient)
                    .withTransport(new Transport(null, null, null, null, null, proxy, null), ProxyLogin.NONE);

            try (AgentUnderTest agent = AgentUnderTest.start(setup)) {
                await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

                assertThat(agent.errors().getFirst())
                        .isEqualTo("connect control channel: HTTP proxy 127.0.0.1:%d did not connect to"
                                        .formatted(silent.port())
                                + " edge.example.com:443: timed out after 300ms");
            }
        }
    }

    @Test
    void saysThatTheProxyRefused() throws Exception {
        TestCertificates certificates = TestCertificates.in(directory);
        try (FakeProxy proxy = FakeProxy.refusing();
                FakeEngine engine = FakeEngine.start(certificates);
                AgentUnderTest agent = AgentUnderTest.start(Setup.of(engine, 9, certificates)
                        .withTransport(
                                through(proxy, true), new ProxyLogin(Secret.of("user"), Secret.of("marker-pass"))))) {
            await().untilAsserted(() -> assertThat(agent.errors()).isNotEmpty());

            assertThat(agent.errors().getFirst())
                    .isEqualTo("connect control channel: HTTP proxy %s did not connect to %s:"
                                    .formatted(proxy.url().substring("http://".length()), engine.address())
                            + " status: 407 Proxy Authentication Required");
            assertThat(engine.connections).hasValue(0);
        }
    }
}
