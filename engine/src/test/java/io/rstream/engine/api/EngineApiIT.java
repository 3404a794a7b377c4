package io.rstream.engine.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rstream.engine.EngineFixture;
import io.rstream.engine.RawHttps;
import io.rstream.engine.TestAgent;
import io.rstream.protocol.TunnelProperties;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EngineApiIT {
    private static EngineFixture engine;
    private static TestAgent agent;
    private static TunnelProperties web;

    @BeforeAll
    static void start() {
        engine = EngineFixture.start("timeouts: {drain: 1s}");
        agent = TestAgent.connect(engine);
        web = agent.open(TunnelProperties.builder()
                .name("web")
                .protocol("http")
                .hostname("web.t.localhost")
                .labels(Map.of("team", "a", "stage", "test")));
        agent.open(TunnelProperties.builder().name("db").publish(false).labels(Map.of("team", "b")));
    }

    @AfterAll
    static void stop() {
        agent.close();
        engine.close();
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void acceptsATokenAtTheLoginCheck(HttpClient.Version version) throws Exception {
        HttpResponse<String> response = get(version, "/api/auth", EngineFixture.token());

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.version()).isEqualTo(version);
    }

    @ParameterizedTest
    @CsvSource({
        "edge.localhost, localhost",
        "edge.localhost, 127.0.0.1",
        "edge.localhost, [::1]",
        "localhost, localhost",
        "localhost, 127.0.0.1"
    })
    void answersWhereverTheCallerThinksTheEngineIs(String serverName, String host) throws Exception {
        try (RawHttps https = RawHttps.connect(engine, serverName)) {
            https.send("GET /api/auth HTTP/1.1\r\nHost: %s:%d\r\nAuthorization: Bearer %s\r\n\r\n"
                    .formatted(host, engine.port(), EngineFixture.token()));

            assertThat(https.read().status()).isEqualTo(200);
        }
    }

    @Test
    void answersACallerThatNamesNoServer() throws Exception {
        try (SSLSocket socket = (SSLSocket) engine.sslContext()
                .getSocketFactory()
                .createSocket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), engine.port())) {
            socket.getOutputStream()
                    .write("GET /api/auth HTTP/1.0\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n"
                            .formatted(engine.port(), EngineFixture.token())
                            .getBytes(StandardCharsets.US_ASCII));

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void wantsAValidToken() throws Exception {
        assertThat(get("/api/auth", null).statusCode()).isEqualTo(401);
        assertThat(get("/api/tunnels", "a.b.c").statusCode()).isEqualTo(401);
    }

    @Test
    void wantsThePermissionToRead() throws Exception {
        String token = EngineFixture.token("x", "tunnels.tunnels.create-delete");

        assertThat(get("/api/auth", token).statusCode()).isEqualTo(200);
        assertThat(get("/api/tunnels", token).statusCode()).isEqualTo(403);
        assertThat(get("/api/clients", token).statusCode()).isEqualTo(403);
    }

    @Test
    void listsTunnelsWithAllKeysThatClientsRead() throws Exception {
        JsonNode tunnel = json("/api/tunnels/" + web.id());

        assertThat(tunnel.path("id").asText()).isEqualTo(web.id());
        assertThat(tunnel.path("name").asText()).isEqualTo("web");
        assertThat(tunnel.path("type").asText()).isEqualTo("bytestream");
        assertThat(tunnel.path("publish").asBoolean()).isTrue();
        assertThat(tunnel.path("protocol").asText()).isEqualTo("http");
        assertThat(tunnel.path("host").asText()).isEqualTo("web.t.localhost:" + engine.port());
        assertThat(tunnel.path("hostname").asText()).isEqualTo("web.t.localhost");
        assertThat(tunnel.path("port").asInt()).isEqualTo(engine.port());
        assertThat(tunnel.path("labels").path("team").asText()).isEqualTo("a");
        assertThat(tunnel.path("status").asText()).isEqualTo("online");
        assertThat(tunnel.path("client_id").asText()).isEqualTo(agent.accepted.clientId());
        assertThat(tunnel.path("user_id").asText()).isEqualTo("tester");
        assertThat(Instant.parse(tunnel.path("creation_date").asText()))
                .isBefore(Instant.now().plusSeconds(5));
    }

    @Test
    void listsClients() throws Exception {
        JsonNode clients = json("/api/clients");

        assertThat(clients).hasSize(1);
        assertThat(clients.get(0).path("id").asText()).isEqualTo(agent.accepted.clientId());
        assertThat(clients.get(0).path("agent").asText()).isEqualTo("test-agent");
        assertThat(clients.get(0).path("os").asText()).isEqualTo("linux");
        assertThat(clients.get(0).path("protocol_version").asText()).isEqualTo("1.4.5");
        assertThat(clients.toString()).doesNotContain("token");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {}                                                     | 2
                    {"limit":1}                                            | 1
                    {"limit":0}                                            | 0
                    {"filters":{"name":"web"}}                             | 1
                    {"filters":{"name":"web","protocol":"tcp"}}            | 0
                    {"filters":{"publish":false}}                          | 1
                    {"filters":{"status":"online"}}                        | 2
                    {"filters":{"labels":{"team":"a"}}}                    | 1
                    {"filters":{"labels":{"team":null}}}                   | 2
                    {"filters":{"labels":{"stage":null,"team":"b"}}}       | 0
                    """)
    void filtersAndLimits(String params, int count) throws Exception {
        JsonNode tunnels = json("/api/tunnels?params=" + URLEncoder.encode(params, StandardCharsets.UTF_8));

        assertThat(tunnels).hasSize(count);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    nonsense
                    []
                    {"limit":-1}
                    {"limit":"two"}
                    {"sort":"name"}
                    {"filters":{"colour":"red"}}
                    {"filters":{"labels":"a"}}
                    {"filters":{"name":{"exact":"web"}}}
                    """)
    void refusesParamsThatItDoesNotUnderstand(String params) throws Exception {
        var response =
                get("/api/tunnels?params=" + URLEncoder.encode(params, StandardCharsets.UTF_8), EngineFixture.token());

        assertThat(response.statusCode()).isEqualTo(400);
    }

    @Test
    void knowsWhatItDoesNotHave() throws Exception {
        assertThat(get("/api/tunnels/tun_none", EngineFixture.token()).statusCode())
                .isEqualTo(404);
        assertThat(get("/api/else", EngineFixture.token()).statusCode()).isEqualTo(404);
        assertThat(get("/", EngineFixture.token()).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"resolve/edge", "resolve/EDGE", "resolve/%65dge", "edge.localhost"})
    void describesItsOwnProjectAsAControlPlaneDoes(String path) throws Exception {
        JsonNode project = json("/api/projects/tunnels/" + path);

        assertThat(project.path("id").asText()).isEqualTo("edge.localhost");
        assertThat(project.path("endpoint").asText()).isEqualTo("edge");
        assertThat(project.path("domain").asText()).isEqualTo("localhost");
        assertThat(project.path("enginePort").asInt()).isEqualTo(engine.port());
        assertThat(project.path("url").asText()).isEqualTo("edge.localhost:" + engine.port());
        assertThat(project.path("routing").asText()).isEqualTo("regional");
        assertThat(project.path("regionalEndpoints").isArray()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "resolve/edge, 401, invalid",
        "resolve/edge, 403, none",
        "resolve/edge, 200, agent",
        "resolve/edge, 200, dialer",
        "resolve/other, 404, all",
        "other, 404, all",
        "resolve/, 404, all",
    })
    void tellsWhoMayKnowItsProject(String path, int status, String kind) throws Exception {
        String token = switch (kind) {
            case "agent" -> EngineFixture.token("x", "tunnels.tunnels.create-delete");
            case "dialer" -> EngineFixture.token("x", "tunnels.streams.create-delete");
            case "none" -> EngineFixture.token("x", "other.product");
            case "all" -> EngineFixture.token();
            default -> "a.b.c";
        };

        HttpResponse<String> response = get("/api/projects/tunnels/" + path, token);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
        assertThat(new ObjectMapper().readTree(response.body()).has("error")).isEqualTo(status != 200);
    }

    @Test
    void onlyReads() throws Exception {
        HttpRequest post = HttpRequest.newBuilder(URI.create(engine.url("edge.localhost", "/api/tunnels")))
                .header("Authorization", "Bearer " + EngineFixture.token())
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();

        var response = engine.http(HttpClient.Version.HTTP_1_1).send(post, BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("allow")).hasValue("GET, HEAD");
    }

    @Test
    void asksForNoTokenWhereNoneIsRequired() throws Exception {
        try (EngineFixture open = EngineFixture.start("auth: {requireToken: false}", "timeouts: {drain: 1s}")) {
            var response = open.http(HttpClient.Version.HTTP_2)
                    .send(
                            HttpRequest.newBuilder(URI.create(open.url("edge.localhost", "/api/tunnels")))
                                    .build(),
                            BodyHandlers.ofString());

            assertThat(response.body()).isEqualTo("[]");
        }
    }

    private static JsonNode json(String path) throws Exception {
        HttpResponse<String> response = get(path, EngineFixture.token());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
        return new ObjectMapper().readTree(response.body());
    }

    private static HttpResponse<String> get(String path, String token) throws Exception {
        return get(HttpClient.Version.HTTP_2, path, token);
    }

    private static HttpResponse<String> get(HttpClient.Version version, String path, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(engine.url("edge.localhost", path)));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return engine.http(version).send(request.build(), BodyHandlers.ofString());
    }
}
