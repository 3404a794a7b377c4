package io.rstream.e2e.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.HttpURLConnection;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user sees and does with kubectl. */
class KubectlE2E {

    private static final Installation INSTALLATION = Installation.shared();

    private Tenant tenant;

    @BeforeEach
    void start() {
        tenant = Tenant.withWebTunnel(INSTALLATION, "kubectl");
    }

    @AfterEach
    void stop() {
        tenant.close();
    }

    @Test
    void waitsForTheReadyCondition() {
        var answer = tenant.kubectl("wait", "--for=condition=Ready", "rtun/web", "--timeout=90s");

        assertThat(answer.strip()).isEqualTo("rstreamtunnel.tunnels.rstream.io/web condition met");
    }

    @Test
    void showsTheDocumentedColumns() {
        tenant.kubectl("wait", "--for=condition=Ready", "rtun/web", "--timeout=90s");

        var tables = tenant.kubectl("get", "rconn,rtun");

        assertThat(tables.lines().map(KubectlE2E::cells))
                .satisfiesExactly(
                        header -> assertThat(header).containsExactly("NAME", "PROJECT", "ENGINE", "READY", "AGE"),
                        connection -> assertThat(connection)
                                .startsWith("rstreamconnection.tunnels.rstream.io/default")
                                .contains(INSTALLATION.engine().address().toString(), "True"),
                        blank -> assertThat(blank).containsExactly(""),
                        header -> assertThat(header)
                                .containsExactly("NAME", "READY", "PROTOCOL", "TARGET", "ADDRESS", "AGE"),
                        tunnel -> assertThat(tunnel)
                                .startsWith(
                                        "rstreamtunnel.tunnels.rstream.io/web",
                                        "True",
                                        "http",
                                        "web." + tenant.namespace() + ".svc:8080",
                                        tenant.address("web")));
    }

    @Test
    void deletesATunnelWithItsAgentAndItsPublicName() {
        tenant.kubectl("wait", "--for=condition=Ready", "rtun/web", "--timeout=90s");
        var address = tenant.address("web");

        tenant.kubectl("delete", "rtun", "web", "--timeout=60s");

        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(tenant.kubectl(
                            "get", "deployments,pods,configmaps,serviceaccounts,roles,rolebindings", "-o", "name"))
                    .isEqualToIgnoringWhitespace("");
            assertThat(PublicCallers.status(address, INSTALLATION.engine().caFile()))
                    .isEqualTo(HttpURLConnection.HTTP_NOT_FOUND);
        });
    }

    private static java.util.List<String> cells(String line) {
        return java.util.List.of(line.strip().split("\\s+"));
    }
}
