package io.rstream.e2e.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.testcluster.Call;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operator and agents ask of the API server, as the proxy before it records it. */
class ApiCallsE2E {

    private static final Installation INSTALLATION = Installation.shared();

    private Tenant tenant;

    @BeforeEach
    void start() {
        INSTALLATION.api().forgetCalls();
        tenant = Tenant.withWebTunnel(INSTALLATION, "calls");
        tenant.kubectl("wait", "--for=condition=Ready", "rtun/web", "--timeout=90s");
    }

    @AfterEach
    void stop() {
        tenant.close();
    }

    @Test
    void theShippedRolesAllowEverythingThatIsCalled() {
        var users = INSTALLATION.api().calls().stream().map(Call::user).distinct();

        assertThat(users)
                .contains(
                        "system:serviceaccount:%s:%s"
                                .formatted(Installation.OPERATOR_NAMESPACE, Installation.OPERATOR_ACCOUNT),
                        "system:serviceaccount:%s:%s".formatted(tenant.namespace(), tenant.agentDeployment("web")));
        assertThat(INSTALLATION.api().calls()).noneMatch(call -> call.status() == 401 || call.status() == 403);
    }

    @Test
    void nobodyWritesWhileNothingHappens() {
        // The last writes of the start may still come; ten quiet seconds in a row must follow.
        var seen = new AtomicInteger(-1);

        await().atMost(Duration.ofSeconds(60)).during(Duration.ofSeconds(10)).untilAsserted(() -> {
            var writing = writing();
            assertThat(seen.getAndSet(writing.size())).as("%s", writing).isEqualTo(writing.size());
        });
    }

    private List<Call> writing() {
        return INSTALLATION.api().calls().stream().filter(Call::writes).toList();
    }
}
