package io.rstream.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.e2e.process.EngineSettings;
import io.rstream.e2e.process.JvmFlags;
import io.rstream.process.Secret;
import io.rstream.protocol.WireError;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scenarios of {@code src/test/python/interoperability.py}, each a Python process of its own. What an engine must do for
 * the SDK's own suite is listed in rstream protocol, sections 25.3 and 28.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class PythonSdkE2E {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ID = "tun_[0-9a-f]{24}";

    @TempDir
    private static Path folder;

    private static EngineProcess engine;
    private static Secret token;
    private static String interpreter;

    @BeforeAll
    static void startEngine() throws Exception {
        interpreter = output(new ProcessBuilder(LocalCluster.repositoryRoot()
                                .resolve("hack/python-sdk/provide.sh")
                                .toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT))
                .strip();
        engine = EngineProcess.start(
                EngineSettings.in(folder).withJvmFlags(JvmFlags.withLeakDetection(JvmFlags.ENGINE)));
        token = engine.token("--subject", "python");
    }

    @AfterAll
    static void stopEngine() {
        if (engine == null) {
            return;
        }
        engine.close();
        assertThat(engine.process().log().containing("LEAK")).isEmpty();
        assertThat(engine.process().log().lines())
                .noneMatch(line -> line.level().equals("ERROR"));
        assertThat(engine.process().log().containing(token.reveal())).isEmpty();
    }

    @Test
    void servesAnHttpTunnel() throws Exception {
        JsonNode result = run("http");

        assertThat(result.path("address").asText())
                .matches("https://[a-z0-9-]+\\.t\\.rstream\\.localhost:" + engine.port());
        assertThat(result.path("id").asText()).matches(ID);
        assertThat(result.path("server_details").asBoolean()).isTrue();
        assertAnswers(result.path("answers"), List.of("/", "/health", "/directory/"));
        JsonNode properties = result.path("properties");
        String hostname = properties.path("hostname").asText();
        assertThat(result.path("address").asText()).isEqualTo("https://" + hostname + ":" + engine.port());
        assertThat(properties.path("type").asText()).isEqualTo("bytestream");
        assertThat(properties.path("host").asText()).isEqualTo(hostname + ":" + engine.port());
        assertThat(properties.path("port").asInt()).isEqualTo(engine.port());
        assertThat(result.path("closed").path("exit").asInt())
                .as("curl --fail after close")
                .isEqualTo(22);
        assertThat(result.path("closed").path("error").asText()).contains("404");
    }

    @Test
    void publishesATunnelOfWhichOnlyTheNameIsGiven() throws Exception {
        JsonNode result = run("http-minimal");

        assertThat(result.path("address").asText())
                .matches("https://[a-z0-9-]+\\.t\\.rstream\\.localhost:" + engine.port());
        assertThat(result.path("answer").path("exit").asInt()).isZero();
        assertThat(result.path("answer").path("body").asText()).isEqualTo("hello from python /ping");
        assertThat(result.path("answer").path("error").asText()).isEmpty();
    }

    @Test
    void dialsAPrivateTunnelInEveryWay() throws Exception {
        JsonNode result = run("private");

        assertThat(result.path("modes"))
                .isEqualTo(JSON.valueToTree(Map.of(
                        "name", "PING NAME",
                        "name-0rtt", "PING NAME-0RTT",
                        "id", "PING ID",
                        "id-0rtt", "PING ID-0RTT")));
        assertThat(result.path("concurrent")).hasSize(16);
        for (int n = 0; n < 16; n++) {
            assertThat(result.path("concurrent").get(n).asText())
                    .isEqualTo("CALLER %03d ".formatted(n).repeat(50));
        }
        assertThat(result.path("own").asText()).isEqualTo("OWN CLIENT");
        assertThat(result.path("large").asBoolean()).isTrue();
        assertThat(result.path("address").asText()).isEqualTo("rstrm://py-private (unpublished)");
    }

    @Test
    void publishesATcpTunnelOfWhichOnlyTheProtocolIsGiven() throws Exception {
        JsonNode result = run("tcp");

        assertThat(result.path("port").asInt()).isBetween(1, 65_535).isNotEqualTo(engine.port());
        assertThat(result.path("hostname").asText()).isEqualTo(EngineProcess.HOST);
        assertThat(result.path("echo").asText()).isEqualTo("OVER TCP");
        assertThat(result.path("address").asText())
                .startsWith(EngineProcess.HOST + ":" + result.path("port").asInt());
    }

    @Test
    void readsTheInventory() throws Exception {
        JsonNode result = run("inventory");

        assertThat(texts(result.path("all"))).containsExactlyInAnyOrder("py-list-a", "py-list-b");
        assertThat(texts(result.path("by_label"))).containsExactly("py-list-a", "py-list-b");
        assertThat(texts(result.path("by_label_value"))).containsExactly("py-list-a");
        assertThat(texts(result.path("by_label_presence"))).containsExactly("py-list-a");
        assertThat(texts(result.path("by_name"))).containsExactly("py-list-b");
        assertThat(texts(result.path("by_publish"))).containsExactly("py-list-b");
        assertThat(result.path("limited").asInt()).isEqualTo(1);
        assertThat(result.path("status").asText()).isEqualTo("online");
        assertThat(result.path("host").asText()).endsWith(".t.rstream.localhost:" + engine.port());
        assertThat(result.path("second").asText()).matches(ID);
        assertThat(result.path("offline").asInt()).isZero();
        assertThat(result.path("owner")).hasSize(1);
        JsonNode owner = result.path("owner").get(0);
        assertThat(owner.path("id").asText()).isNotBlank();
        assertThat(owner.path("status").asText()).isEqualTo("online");
        assertThat(owner.path("agent").asText()).contains("rstream");
        assertThat(owner.path("version").asText()).isNotBlank();
        assertThat(owner.path("os").asText()).isNotBlank();
        assertThat(owner.path("arch").asText()).isNotBlank();
        assertThat(owner.path("protocol_version").asText()).matches("\\d+\\.\\d+\\.\\d+");
    }

    @Test
    void learnsTheReasonOfEveryRefusal() throws Exception {
        JsonNode result = run("refused");

        assertRefusal(result.path("wrong_token"), WireError.UNAUTHORIZED, "token");
        assertRefusal(result.path("gate"), WireError.FEATURE_NOT_AVAILABLE, "token_auth");
        assertRefusal(result.path("addresses"), WireError.FEATURE_NOT_AVAILABLE, "trusted_ips");
        assertRefusal(result.path("tls"), WireError.FEATURE_NOT_AVAILABLE, "protocol tls");
        assertRefusal(result.path("unknown"), WireError.TUNNEL_NOT_FOUND, "");
        assertRefusal(
                result.path("foreign_hostname"),
                WireError.INVALID_REQUEST,
                "Custom hostname is not verified for this project.");
        assertThat(result.path("still_alive").asBoolean()).isTrue();
    }

    private static void assertRefusal(JsonNode refusal, int code, String text) {
        assertThat(refusal.path("kind").asText()).as(refusal.toString()).isEqualTo("EngineError");
        assertThat(refusal.path("code").asInt()).isEqualTo(code);
        assertThat(refusal.path("text").asText()).contains(text);
    }

    private static void assertAnswers(JsonNode answers, List<String> paths) {
        assertThat(answers).hasSize(paths.size());
        for (int i = 0; i < paths.size(); i++) {
            assertThat(answers.get(i).path("exit").asInt())
                    .as(answers.get(i).toString())
                    .isZero();
            assertThat(answers.get(i).path("body").asText()).isEqualTo("hello from python " + paths.get(i));
            assertThat(answers.get(i).path("error").asText()).isEmpty();
        }
    }

    private static List<String> texts(JsonNode array) {
        return JSON.convertValue(array, JSON.getTypeFactory().constructCollectionType(List.class, String.class));
    }

    private static JsonNode run(String scenario) throws Exception {
        Path driver = LocalCluster.repositoryRoot().resolve("test-e2e/src/test/python/interoperability.py");
        ProcessBuilder builder = new ProcessBuilder(
                interpreter,
                driver.toString(),
                scenario,
                engine.address().toString(),
                engine.caFile().toString());
        builder.environment().put("RSTREAM_AUTHENTICATION_TOKEN", token.reveal());
        builder.redirectError(folder.resolve(scenario + ".err").toFile());
        try {
            return JSON.readTree(output(builder));
        } catch (IOException | IllegalStateException failure) {
            throw new AssertionError(
                    "scenario %s failed%n%s%s"
                            .formatted(
                                    scenario,
                                    Files.readString(folder.resolve(scenario + ".err")),
                                    engine.process().log().newest()),
                    failure);
        }
    }

    private static String output(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("%s ended with %d".formatted(builder.command(), process.exitValue()));
            }
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
