package io.rstream.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rstream.engine.config.EngineConfigFile;
import io.rstream.protocol.TunnelProperties;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EngineStopIT {
    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void finishesARequestThatIsUnderWay(HttpClient.Version version) throws Exception {
        CountDownLatch requested = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        EngineFixture engine = EngineFixture.start("timeouts: {drain: 20s}");
        try (RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
                    requested.countDown();
                    awaitQuietly(release);
                    connection.write("done");
                });
                TestAgent agent = TestAgent.connect(engine).serve(service.port())) {
            agent.openHttp("web.t.localhost");
            HttpRequest request = HttpRequest.newBuilder(URI.create(engine.url("web.t.localhost", "/")))
                    .build();
            HttpClient http = engine.http(version);
            var response = http.sendAsync(request, BodyHandlers.ofString());
            assertThat(requested.await(20, TimeUnit.SECONDS)).isTrue();

            CompletableFuture<Void> stopped = CompletableFuture.runAsync(engine::close);
            assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);
            release.countDown();

            assertThat(response.get(20, TimeUnit.SECONDS).body()).isEqualTo("halfdone");
            stopped.get(20, TimeUnit.SECONDS);
            int port = engine.port();
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                    .isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void letsAStreamFinishAndCutsItOffAtTheLimit() throws Exception {
        EngineFixture engine = EngineFixture.start("timeouts: {drain: 700ms}");
        try (RawService service = RawService.start(connection -> connection.write(connection.text(4)));
                TestAgent agent = TestAgent.connect(engine).serve(service.port());
                Socket caller = new Socket(
                        InetAddress.getLoopbackAddress(),
                        agent.open(TunnelProperties.builder().protocol("tcp")).port())) {
            caller.setSoTimeout(20_000);

            CompletableFuture<Void> stopped = CompletableFuture.runAsync(engine::close);
            assertThat(agent.answer()).isIn(WireClient.END, WireClient.CLOSED);

            stopped.get(20, TimeUnit.SECONDS);
            assertThat(readToEnd(caller)).isEmpty();
        }
    }

    @Test
    void closesConnectionsThatRestAtOnce() throws Exception {
        EngineFixture engine = EngineFixture.start("timeouts: {drain: 20s}");
        try (RawHttps https = RawHttps.connect(engine, "edge.localhost");
                H2Client h2 = H2Client.connect(engine, "edge.localhost")) {
            https.send("GET / HTTP/1.1\r\nHost: edge.localhost\r\n\r\n");
            assertThat(https.read().status()).isEqualTo(404);
            assertThat(h2.get("edge.localhost", "/").headers().status()).hasToString("404");

            engine.close();

            assertThat(https.rest()).isEmpty();
            assertThat(h2.channel.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void startsAgainOnTheSamePortAndGivesTheSameNamesOut() {
        EngineFixture first = EngineFixture.start("timeouts: {drain: 1s}");
        String hostname;
        try (TestAgent agent = TestAgent.connect(first)) {
            hostname = agent.open(TunnelProperties.builder().name("shop")).hostname();
            agent.openHttp("web.t.localhost");
        }
        int port = first.port();
        first.close();

        try (EngineFixture second = EngineFixture.start("listen: 127.0.0.1:" + port, "timeouts: {drain: 1s}");
                TestAgent agent = TestAgent.connect(second)) {
            assertThat(agent.open(TunnelProperties.builder().name("shop")).hostname())
                    .isEqualTo(hostname);
            assertThat(agent.openHttp("web.t.localhost").hostname()).isEqualTo("web.t.localhost");
        }
    }

    @Test
    void saysWhichAddressIsInUse() throws Exception {
        try (EngineFixture running = EngineFixture.start("timeouts: {drain: 1s}");
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var file = Files.writeString(running.folder.resolve("second.yaml"), """
                    listen: 127.0.0.1:%d
                    host: edge.localhost
                    tls: {certificateFile: tls.crt, keyFile: tls.key}
                    auth: {requireToken: false}
                    """.formatted(taken.getLocalPort()));
            var config = EngineConfigFile.read(file);

            assertThatThrownBy(() -> Engine.start(config, new SimpleMeterRegistry(), Clock.systemUTC()))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": ");
        }
    }

    @Test
    void saysWhichCertificateFileCannotBeRead() throws Exception {
        try (EngineFixture running = EngineFixture.start("timeouts: {drain: 1s}")) {
            var file = Files.writeString(running.folder.resolve("second.yaml"), """
                    listen: 127.0.0.1:0
                    host: edge.localhost
                    tls: {certificateFile: none.crt, keyFile: tls.key}
                    auth: {requireToken: false}
                    """);
            var config = EngineConfigFile.read(file);

            assertThatThrownBy(() -> Engine.start(config, new SimpleMeterRegistry(), Clock.systemUTC()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("tls: " + running.folder.resolve("none.crt")
                            + " cannot be read; check that it exists and its permissions");
        }
    }

    private static String readToEnd(Socket socket) {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException reset) {
            return "";
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
