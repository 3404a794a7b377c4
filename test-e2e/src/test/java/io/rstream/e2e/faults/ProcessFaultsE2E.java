package io.rstream.e2e.faults;

import static io.rstream.e2e.faults.Eventually.eventually;
import static io.rstream.e2e.faults.Eventually.says;
import static io.rstream.e2e.faults.Eventually.works;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.e2e.install.Installation;
import io.rstream.e2e.install.Tenant;
import io.rstream.e2e.process.JavaProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process or the API server goes away; nobody touches the tunnel. */
class ProcessFaultsE2E {

    private static final Installation INSTALLATION = Installation.shared();

    private Tenant tenant;

    @BeforeEach
    void start() {
        tenant = Tenant.withWebTunnel(INSTALLATION, "process");
        works(tenant);
    }

    @AfterEach
    void stop() {
        INSTALLATION.api().restore();
        tenant.close();
    }

    @Test
    void aKilledAgentIsStartedAgainAndSaysWhichPodHoldsTheTunnel() {
        var address = tenant.address("web");
        var agent = agent();

        agent.kill();

        eventually().ignoreExceptions().until(() -> agent().pid() != agent.pid());
        works(tenant);
        assertThat(tenant.address("web")).isEqualTo(address);
        assertThat(tenant.words("web", ConditionType.TUNNEL_READY))
                .startsWith("True TunnelOnline: Tunnel is online from agent pod ");
        assertThat(tenant.kubectl("get", "pods", "-o", "jsonpath={.items[*].status.containerStatuses[*].restartCount}"))
                .isEqualTo("1");
    }

    @Test
    void aRestartedEngineServesTheSameHostnameAgain() throws Exception {
        var address = tenant.address("web");

        INSTALLATION.engine().kill();

        says(tenant, "web", ConditionType.TUNNEL_READY, "False TunnelDisconnected: ");
        says(tenant, "web", ConditionType.READY, "False WaitingFor");
        assertThat(tenant.address("web")).isNull();
        INSTALLATION.engine().restart();
        works(tenant);
        assertThat(tenant.address("web")).isEqualTo(address);
    }

    @Test
    void trafficGoesOnWhileTheApiServerIsAwayForTwentySeconds() {
        INSTALLATION.api().cut();

        await().atMost(Duration.ofSeconds(60))
                .during(Duration.ofSeconds(20))
                .until(() -> tenant.call("web").equals(tenant.greeting()));

        INSTALLATION.api().restore();
        tenant.service("web", "renamed", 8080);
        says(tenant, "web", ConditionType.RESOLVED, "False ServicePortMissing: ");
        tenant.service("web", "http", 8080);
        works(tenant);
    }

    @Test
    void aRestartedOperatorChangesNothing() {
        var agent = agent();
        INSTALLATION.operator().kill();

        INSTALLATION.startOperator();

        works(tenant);
        assertThat(agent().pid()).isEqualTo(agent.pid());
    }

    private JavaProcess agent() {
        return INSTALLATION
                .node()
                .process(tenant.namespace(), tenant.agentDeployment("web"))
                .orElseThrow();
    }
}
