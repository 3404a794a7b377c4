package io.rstream.e2e.reliability;

import io.rstream.e2e.install.Installation;
import io.rstream.e2e.install.Tenant;
import io.rstream.e2e.process.JavaProcess;

/**
 * Where faults happen.
 *
 * @param tenant has one HTTP tunnel, {@code web}
 */
public record Scene(Installation installation, Tenant tenant) {

    /** The port that the tunnel asks for gets another name: true is then that it is missing. */
    void renamePort() {
        tenant.service("web", "renamed", 8080);
    }

    void namePortBack() {
        tenant.service("web", "http", 8080);
    }

    void connect() {
        tenant.connection(installation.engine().address(), Tenant.CREDENTIALS);
    }

    void remove(String kind, String name) {
        tenant.kubectl("delete", kind, name);
    }

    JavaProcess agent() {
        return installation
                .node()
                .process(tenant.namespace(), tenant.agentDeployment("web"))
                .orElseThrow(() -> new IllegalStateException("no agent runs for " + tenant.namespace()));
    }
}
