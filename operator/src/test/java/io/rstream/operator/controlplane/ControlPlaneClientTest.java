package io.rstream.operator.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rstream.process.Secret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlPlaneClientTest {

    private static final String TOKEN = "marker-token-1";
    private static final Credentials CREDENTIALS = new Credentials(Secret.of(TOKEN), List.of());
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @TempDir
    private Path folder;

    private FakeControlPlane server;

    @BeforeEach
    void start() throws IOException {
        server = FakeControlPlane.start();
    }

    @AfterEach
    void stop() {
        server.close();
        threads.shutdownNow();
    }

    @Test
    @Tag("parity-27")
    void asksForAnEndpointWithOneGet() throws Exception {
        var project = lookUp(new ProjectSelector.Endpoint("my project/ä"), CREDENTIALS);

        assertThat(project.endpoint()).isEqualTo("project-42");
        assertThat(server.requests).singleElement().satisfies(request -> {
            assertThat(request.method()).isEqualTo("GET");
            assertThat(request.target()).isEqualTo("/api/projects/tunnels/resolve/my%20project%2F%C3%A4");
            assertThat(request.header("authorization")).isEqualTo("Bearer " + TOKEN);
        });
    }

    @Test
    @Tag("parity-28")
    void asksForAnIdWithOneGet() throws Exception {
        lookUp(new ProjectSelector.Id("project/id"), CREDENTIALS);

        assertThat(server.requests).singleElement().satisfies(request -> {
            assertThat(request.method()).isEqualTo("GET");
            assertThat(request.target()).isEqualTo("/api/projects/tunnels/project%2Fid");
        });
    }

    @Test
    @Tag("parity-29")
    void keepsThePathOfTheBaseUrl() throws Exception {
        var base = ControlPlaneAccess.normalized(" " + server.url() + "/base// ");

        client(ProxySettings.none()).lookUp(new LookUpTarget(base, new ProjectSelector.Id("p")), CREDENTIALS);

        assertThat(server.requests.getFirst().target()).isEqualTo("/base/api/projects/tunnels/p");
    }

    @Test
    @Tag("parity-35")
    void sendsTheConfiguredHeaders() throws Exception {
        var shared = Secret.of("shared value");
        var headers = List.of(
                new Credentials.Header("X-Tenant", shared),
                new Credentials.Header("x-other", shared),
                new Credentials.Header("X-Token", Secret.of(TOKEN)),
                new Credentials.Header("accept", Secret.of("application/vnd.example+json")));

        lookUp(new ProjectSelector.Id("p"), new Credentials(Secret.of(TOKEN), headers));

        var request = server.requests.getFirst();
        assertThat(request.header("x-tenant")).isEqualTo("shared value");
        assertThat(request.header("x-other")).isEqualTo("shared value");
        assertThat(request.header("x-token")).isEqualTo(TOKEN);
        assertThat(request.header("accept")).isEqualTo("application/vnd.example+json");
        assertThat(request.header("authorization")).isEqualTo("Bearer " + TOKEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\r\nX-Injected: 1"})
    @Tag("parity-36")
    void refusesValuesBeforeAnyRequest(String value) {
        var credentials =
                new Credentials(Secret.of(TOKEN), List.of(new Credentials.Header("x-tenant", Secret.of(value))));

        var failure = failure(new ProjectSelector.Id("p"), credentials);

        assertThat(failure).hasMessage("invalid value for control plane header \"X-Tenant\"");
        assertThat(failure.isPermanent()).isTrue();
        assertThat(server.requests).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    @Tag("parity-37")
    void followsNoRedirect(int status) throws Exception {
        try (var elsewhere = FakeControlPlane.start()) {
            server.behave(
                    _ -> new FakeControlPlane.Answer(status, "", Map.of("Location", elsewhere.url() + "/stolen")));

            var failure = failure(new ProjectSelector.Endpoint("p"), CREDENTIALS);

            assertThat(failure)
                    .hasMessageStartingWith(
                            "resolve project endpoint \"p\": control-plane request failed: " + status + " ");
            assertThat(failure.isPermanent()).isTrue();
            assertThat(elsewhere.requests).isEmpty();
            assertThat(server.requests).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            401 | {"error": "token expired"}   | true  | not authenticated: token expired
            401 | <html>                       | true  | not authenticated: control-plane request failed: 401 Unauthorized
            403 | {"error": "no access"}       | true  | not authorized: no access
            403 | ''                           | true  | not authorized: control-plane request failed: 403 Forbidden
            404 | {"error": "no such project"} | true  | no such project
            404 | {"error": {"a": 1}}          | true  | control-plane request failed: 404 Not Found
            418 | {}                           | true  | control-plane request failed: 418
            429 | {"error": "slow down"}       | false | slow down
            408 | ''                           | false | control-plane request failed: 408 Request Timeout
            500 | {"error": "a\\nb"}           | false | a b
            503 | ''                           | false | control-plane request failed: 503 Service Unavailable
            """)
    @Tag("parity-38")
    void wordsRefusalsAsTheReferenceDoes(int status, String body, boolean permanent, String message) {
        server.answer(status, body);

        var failure = failure(new ProjectSelector.Endpoint("p"), CREDENTIALS);

        assertThat(failure).hasMessage("resolve project endpoint \"p\": " + message);
        assertThat(failure.isPermanent()).isEqualTo(permanent);
        assertThat(failure(new ProjectSelector.Id("i"), CREDENTIALS))
                .hasMessage("resolve project ID \"i\": " + message);
    }

    @Test
    void doesNotRepeatSecretsThatTheServerSends() {
        server.behave(request ->
                FakeControlPlane.Answer.of(403, "{\"error\": \"bad %s\"}".formatted(request.header("authorization"))));

        assertThat(failure(new ProjectSelector.Id("p"), CREDENTIALS))
                .hasMessage("resolve project ID \"p\": not authorized: bad Bearer ***");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "[]", "\"text\"", "{\"id\": "})
    void triesAgainWhatIsNoProject(String body) {
        server.answer(200, body);

        var failure = failure(new ProjectSelector.Id("p"), CREDENTIALS);

        assertThat(failure)
                .hasMessage("resolve project ID \"p\": 127.0.0.1:%d did not answer with a project; check apiURL"
                        .formatted(server.port()));
        assertThat(failure.isPermanent()).isFalse();
    }

    @Test
    void readsNoEndlessAnswer() {
        server.answer(200, "{\"id\": \"" + "a".repeat(1 << 20) + "\"}");

        assertThat(failure(new ProjectSelector.Id("p"), CREDENTIALS))
                .hasMessage("resolve project ID \"p\": the connection to 127.0.0.1:%d broke, or its answer is too long"
                        .formatted(server.port()));
    }

    @Test
    @Tag("parity-136")
    void saysTheSameEachTimeNobodyListens() throws Exception {
        int port;
        try (var free = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        var target = new LookUpTarget("http://127.0.0.1:" + port, new ProjectSelector.Id("p"));

        var first = failure(client(ProxySettings.none()), target);
        var second = failure(client(ProxySettings.none()), target);

        assertThat(first)
                .hasMessage("resolve project ID \"p\": 127.0.0.1:%d cannot be reached; check apiURL and proxy"
                        .formatted(port));
        assertThat(second).hasMessage(first.sentence());
        assertThat(first.isPermanent()).isFalse();
    }

    @Test
    @Tag("parity-136")
    void saysThatAHostIsNotKnown() {
        var target = new LookUpTarget("https://no-such-host.invalid", new ProjectSelector.Id("p"));

        assertThat(failure(client(ProxySettings.none()), target))
                .hasMessage(
                        "resolve project ID \"p\": the host name of no-such-host.invalid is not known; check apiURL,"
                                + " proxy and DNS");
    }

    @Test
    void givesUpOnASilentServer() throws Exception {
        try (var silent = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            var impatient = ControlPlaneClient.create(
                    ProxySettings.none(), TrustedAuthorities.with(null), threads, Duration.ofSeconds(1));
            var target = new LookUpTarget("http://127.0.0.1:" + silent.getLocalPort(), new ProjectSelector.Id("p"));

            var failure = failure(impatient, target);

            assertThat(failure)
                    .hasMessage("resolve project ID \"p\": no answer from 127.0.0.1:%d within 1 s"
                            .formatted(silent.getLocalPort()));
            assertThat(failure.isPermanent()).isFalse();
        }
    }

    @Test
    void trustsAPrivateAuthorityOnlyWhenToldSo() throws Exception {
        try (var secure = FakeControlPlane.startWithTls(folder)) {
            var target = new LookUpTarget(secure.url(), new ProjectSelector.Id("p"));

            var failure = failure(client(ProxySettings.none()), target);
            var project = ControlPlaneClient.create(
                            ProxySettings.none(), TrustedAuthorities.with(folder.resolve("ca.pem")), threads, LIMIT)
                    .lookUp(target, CREDENTIALS);

            assertThat(failure)
                    .hasMessageStartingWith("resolve project ID \"p\": no trusted TLS connection to localhost:");
            assertThat(project.id()).isEqualTo("prj-1");
            assertThat(secure.requests).hasSize(1);
        }
    }

    @Test
    void goesThroughTheProxyOfTheEnvironment() throws Exception {
        try (var secure = FakeControlPlane.startWithTls(folder);
                var proxy = FakeProxy.before(secure.port())) {
            var settings = ProxySettings.of(Map.of("https_proxy", "http://127.0.0.1:" + proxy.port()));
            var target = new LookUpTarget("https://cp.example.com", new ProjectSelector.Id("p"));

            var failure = failure(
                    ControlPlaneClient.create(
                            settings, TrustedAuthorities.with(folder.resolve("ca.pem")), threads, LIMIT),
                    target);

            // The certificate is for localhost: the connection got as far as the server, under the name that was asked
            // for.
            assertThat(failure)
                    .hasMessageStartingWith("resolve project ID \"p\": no trusted TLS connection to cp.example.com;");
            assertThat(proxy.heads).singleElement().asString().startsWith("CONNECT cp.example.com:443 HTTP/1.1\r\n");
            assertThat(proxy.heads.getFirst()).doesNotContain(TOKEN);
        }
    }

    private Project lookUp(ProjectSelector selector, Credentials credentials) throws Exception {
        return client(ProxySettings.none()).lookUp(new LookUpTarget(server.url(), selector), credentials);
    }

    private LookUpException failure(ProjectSelector selector, Credentials credentials) {
        return catchThrowableOfType(LookUpException.class, () -> lookUp(selector, credentials));
    }

    private static LookUpException failure(ControlPlaneClient client, LookUpTarget target) {
        return catchThrowableOfType(LookUpException.class, () -> client.lookUp(target, CREDENTIALS));
    }

    private ControlPlaneClient client(ProxySettings proxies) {
        try {
            return ControlPlaneClient.create(proxies, TrustedAuthorities.with(null), threads);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
