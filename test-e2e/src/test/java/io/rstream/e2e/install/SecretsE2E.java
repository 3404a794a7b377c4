package io.rstream.e2e.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.process.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Searches everything that people see for the values of secrets. */
class SecretsE2E {

    private static final Installation INSTALLATION = Installation.shared();
    private static final String WRONG_TOKEN = "wrong-token-marker-5d1c0a7e";

    private final Tenant tenant = Tenant.withWebTunnel(INSTALLATION, "secrets");

    @AfterEach
    void stop() {
        tenant.close();
    }

    @Test
    void noSecretIsInLogsEventsStatusConfigMapsDescriptionsOrProcessArguments() throws Exception {
        tenant.secret(Tenant.CREDENTIALS, Secret.of(WRONG_TOKEN));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> tenant.words("web", ConditionType.TUNNEL_READY).contains("engine error"));
        var token = INSTALLATION.engine().token("--subject", tenant.namespace());
        tenant.secret(Tenant.CREDENTIALS, token);
        tenant.kubectl("wait", "--for=condition=Ready", "rtun/web", "--timeout=90s");
        var accountToken = Files.readString(agentTokenFile());

        var seen = whatPeopleSee();

        // The search would find a marker: the one place that holds the token is the Secret itself.
        assertThat(decodedSecret()).isEqualTo(token.reveal());
        assertThat(seen).allSatisfy((place, text) -> assertThat(text).as(place).isNotBlank());
        assertThat(seen.get("logs")).contains(tenant.namespace());
        for (var secret : List.of(WRONG_TOKEN, signature(token.reveal()), signature(accountToken), engineSecret())) {
            assertThat(seen)
                    .allSatisfy((place, text) -> assertThat(text).as(place).doesNotContain(secret));
        }
    }

    private Map<String, String> whatPeopleSee() throws IOException {
        var seen = new LinkedHashMap<String, String>();
        seen.put("logs", logs());
        seen.put("events", tenant.kubectl("get", "events", "-A", "-o", "yaml"));
        seen.put("objects", tenant.kubectl("get", "rtun,rconn,configmaps,deployments,pods,roles", "-o", "yaml"));
        seen.put("table", tenant.kubectl("get", "rtun,rconn", "-o", "wide"));
        seen.put("descriptions", tenant.kubectl("describe", "rtun,rconn,configmaps,deployments,pods,secrets"));
        seen.put("process arguments", processArguments());
        return seen;
    }

    private static String logs() throws IOException {
        var text = new StringBuilder();
        try (var files = Files.walk(INSTALLATION.directory())) {
            for (var file : files.filter(SecretsE2E::isLog).toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }

    private static boolean isLog(Path file) {
        return file.toString().endsWith(".log") || file.toString().endsWith(".err");
    }

    private static String processArguments() throws IOException {
        var text = new StringBuilder();
        for (var process : ProcessHandle.current().descendants().toList()) {
            var file = Path.of("/proc", String.valueOf(process.pid()), "cmdline");
            if (Files.exists(file)) {
                text.append(new String(Files.readAllBytes(file), StandardCharsets.UTF_8).replace('\0', ' '))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static Path agentTokenFile() throws IOException {
        try (var files = Files.walk(INSTALLATION.directory())) {
            return files.filter(file -> file.endsWith("serviceaccount/token"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String engineSecret() throws IOException {
        return Files.readString(INSTALLATION.directory().resolve("engine/token-secret"))
                .strip();
    }

    private String decodedSecret() {
        var encoded = tenant.kubectl("get", "secret", Tenant.CREDENTIALS, "-o", "jsonpath={.data.token}");
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }

    private static String signature(String token) {
        return token.substring(token.lastIndexOf('.') + 1).strip();
    }
}
