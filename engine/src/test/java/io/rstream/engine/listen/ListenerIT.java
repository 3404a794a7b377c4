package io.rstream.engine.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawHttps;
import io.rstream.engine.RawService;
import io.rstream.engine.TestAgent;
import io.rstream.engine.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListenerIT {
    private static EngineFixture engine;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {handshake: 500ms, drain: 1s}");
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @Test
    void tellsPlainHttpThatThisPortSpeaksTls() throws Exception {
        try (Socket socket = plain()) {
            socket.getOutputStream().write(bytes("GET / HTTP/1.1\r\nHost: edge.localhost\r\n\r\n"));

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer)
                    .startsWith("HTTP/1.1 400 Bad Request\r\n")
                    .endsWith("\r\n\r\nThis port speaks TLS; use https instead\n");
        }
    }

    @Test
    void closesOnGarbage() throws Exception {
        try (Socket socket = plain()) {
            socket.getOutputStream().write(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});

            assertThat(readToEnd(socket)).isEmpty();
        }
    }

    @Test
    void closesOnGarbageThatBeginsLikeTls() throws Exception {
        try (Socket socket = plain()) {
            socket.getOutputStream().write(new byte[] {22, 3, 1, 0, 4, 99, 0, 0, 0, 1, 1, 1});

            readToEnd(socket);

            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void closesAConnectionThatSaysNothing() throws Exception {
        try (Socket socket = plain()) {
            assertThat(readToEnd(socket)).isEmpty();
        }
    }

    @Test
    void servesHandshakesWithoutAlpnAsHttp1() throws Exception {
        try (RawHttps https = RawHttps.connect(engine, "edge.localhost")) {
            https.send("GET /api/auth HTTP/1.1\r\nHost: edge.localhost\r\n\r\n");

            assertThat(https.socket.getApplicationProtocol()).isEmpty();
            assertThat(https.read().status()).isEqualTo(401);
        }
    }

    @Test
    void prefersTheNativeProtocolWhereItIsOffered() throws Exception {
        try (RawHttps connection = RawHttps.connect(engine, "edge.localhost", "h2", "rstrm/1")) {
            assertThat(connection.socket.getApplicationProtocol()).isEqualTo("rstrm/1");
        }
    }

    @Test
    void speaksTls12WithBrowsersButNotWithAgents() throws Exception {
        try (SSLSocket browser = tls12("http/1.1")) {
            browser.startHandshake();
            assertThat(browser.getSession().getProtocol()).isEqualTo("TLSv1.2");
        }
        try (SSLSocket agent = tls12("rstrm/1")) {
            assertThatThrownBy(agent::startHandshake).isInstanceOf(IOException.class);
        }
    }

    @Test
    void asksOnlyAgentsForACertificate() throws Exception {
        assertThat(isAskedForCertificate("rstrm/1")).isTrue();
        assertThat(isAskedForCertificate("h2")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http/1.1"})
    void letsAnUpgradedCallerEndItsOutputAndStillRead(String alpn) throws Exception {
        try (EngineFixture patient = EngineFixture.start("timeouts: {drain: 1s}");
                RawService service = RawService.start(connection -> {
                    connection.head();
                    connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n");
                    connection.write(connection.text(5));
                    connection.write("You said " + connection.rest());
                });
                TestAgent agent = TestAgent.connect(patient).serve(service.port())) {
            agent.openHttp("upgrade.t.localhost");
            try (RawHttps caller = alpn.isEmpty()
                    ? RawHttps.connect(patient, "upgrade.t.localhost")
                    : RawHttps.connect(patient, "upgrade.t.localhost", alpn)) {
                caller.send(
                        "GET / HTTP/1.1\r\nHost: upgrade.t.localhost\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n");
                assertThat(caller.head()).startsWith("HTTP/1.1 101 ");

                caller.send("hello");
                assertThat(caller.text(5)).isEqualTo("hello");

                caller.send("enough").socket.shutdownOutput();

                assertThat(caller.rest()).isEqualTo("You said enough");
            }
        }
    }

    @Test
    void limitsConnections() throws Exception {
        try (EngineFixture small = EngineFixture.start("limits: {connections: 1}", "timeouts: {drain: 1s}");
                RawHttps first = RawHttps.connect(small, "edge.localhost")) {
            first.send("GET / HTTP/1.1\r\nHost: edge.localhost\r\n\r\n");
            assertThat(first.read().status()).isEqualTo(404);

            assertThatThrownBy(() -> RawHttps.connect(small, "edge.localhost")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void followsAChangedCertificate() throws Exception {
        try (EngineFixture renewed = EngineFixture.start("timeouts: {drain: 1s}")) {
            TestCertificate next = TestCertificate.create("edge.localhost");

            next.write(renewed.folder, "tls");

            await().until(() -> presented(renewed).equals(next.certificate()));
        }
    }

    private static X509Certificate presented(EngineFixture of) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustEverything()}, null);
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), of.port())) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private static boolean isAskedForCertificate(String alpn) throws Exception {
        AtomicBoolean asked = new AtomicBoolean();
        KeyManager keys = new X509ExtendedKeyManager() {
            @Override
            public String[] getClientAliases(String type, Principal[] issuers) {
                return null;
            }

            @Override
            public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
                asked.set(true);
                return null;
            }

            @Override
            public String[] getServerAliases(String type, Principal[] issuers) {
                return null;
            }

            @Override
            public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
                return null;
            }

            @Override
            public X509Certificate[] getCertificateChain(String alias) {
                return null;
            }

            @Override
            public PrivateKey getPrivateKey(String alias) {
                return null;
            }
        };
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {keys}, new TrustManager[] {new TrustEverything()}, null);
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), engine.port())) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {alpn});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return asked.get();
        }
    }

    private static final class TrustEverything implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private static SSLSocket tls12(String alpn) throws IOException {
        SSLSocket socket = (SSLSocket)
                engine.sslContext().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), engine.port());
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {alpn});
        socket.setSSLParameters(parameters);
        return socket;
    }

    private static Socket plain() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), engine.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static byte[] readToEnd(Socket socket) {
        try {
            return socket.getInputStream().readAllBytes();
        } catch (IOException reset) {
            return new byte[0];
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
