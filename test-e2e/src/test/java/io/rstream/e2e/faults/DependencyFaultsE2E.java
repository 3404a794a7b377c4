package io.rstream.e2e.faults;

import static io.rstream.e2e.faults.Eventually.says;
import static io.rstream.e2e.faults.Eventually.works;
import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.e2e.install.Installation;
import io.rstream.e2e.install.Tenant;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.e2e.process.EngineSettings;
import io.rstream.process.Secret;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Something that the tunnel refers to is absent, wrong or changed; nobody touches the tunnel. */
class DependencyFaultsE2E {

    private static final Installation INSTALLATION = Installation.shared();
    private static final String CREDENTIALS = Tenant.CREDENTIALS;

    @TempDir
    Path folder;

    private Tenant tenant;

    @BeforeEach
    void start() {
        tenant = Tenant.empty(INSTALLATION, "dependency");
    }

    @AfterEach
    void stop() {
        tenant.close();
    }

    @Test
    void waitsForASecretThatIsAbsent() {
        connect();
        serve();
        tenant.httpTunnel("web", "web", "http");
        says(
                tenant,
                "web",
                ConditionType.RESOLVED,
                "False SecretMissing: secret \"rstream-credentials\" was not found");

        tenant.secret(CREDENTIALS, INSTALLATION.token());

        works(tenant);
    }

    @Test
    void saysWhatTheEngineSaysAboutAWrongToken() {
        tenant.secret(CREDENTIALS, Secret.of("not-a-token"));
        connect();
        serve();
        tenant.httpTunnel("web", "web", "http");
        says(tenant, "web", ConditionType.READY, "False WaitingFor");
        says(tenant, "web", ConditionType.TUNNEL_READY, "False Tunnel");
        Eventually.eventually()
                .untilAsserted(() -> assertThat(tenant.words("web", ConditionType.TUNNEL_READY))
                        .contains("engine error 10"));

        tenant.secret(CREDENTIALS, INSTALLATION.token());

        works(tenant);
    }

    @Test
    void waitsForAServiceThatIsAbsent() {
        tenant.secret(CREDENTIALS, INSTALLATION.token());
        connect();
        tenant.httpTunnel("web", "web", "http");
        says(
                tenant,
                "web",
                ConditionType.RESOLVED,
                "False ServiceMissing: service \"web\" was not found in namespace \"" + tenant.namespace() + "\"");

        serve();

        works(tenant);
    }

    @Test
    void followsAPortThatIsRenamedAndBack() {
        tenant.secret(CREDENTIALS, INSTALLATION.token());
        connect();
        serve();
        tenant.httpTunnel("web", "web", "http");
        works(tenant);

        tenant.service("web", "renamed", 8080);

        says(tenant, "web", ConditionType.RESOLVED, "False ServicePortMissing: ");
        says(tenant, "web", ConditionType.READY, "False ServicePortMissing: ");
        tenant.service("web", "http", 8080);
        works(tenant);
    }

    @Test
    void movesToAnotherEngineWhenTheConnectionChanges() throws Exception {
        tenant.secret(CREDENTIALS, INSTALLATION.token());
        connect();
        serve();
        tenant.httpTunnel("web", "web", "http");
        works(tenant);
        try (var other = EngineProcess.start(EngineSettings.in(folder))) {
            INSTALLATION.trust(other.caFile());
            tenant.secret("other-credentials", other.token());

            tenant.connection(other.address(), "other-credentials");

            Eventually.eventually()
                    .untilAsserted(() -> assertThat(tenant.address("web")).endsWith(":" + other.port()));
            says(tenant, "web", ConditionType.READY, "True Ready: ");
            assertThat(tenant.call("web", other.caFile())).isEqualTo(tenant.greeting());
        }
        says(tenant, "web", ConditionType.TUNNEL_READY, "False TunnelDisconnected: ");
        connect();
        works(tenant);
    }

    private void connect() {
        tenant.connection(INSTALLATION.engine().address(), CREDENTIALS);
    }

    private void serve() {
        tenant.service("web", "http", 8080);
        tenant.answer("web", 8080, tenant.greeting());
    }
}
