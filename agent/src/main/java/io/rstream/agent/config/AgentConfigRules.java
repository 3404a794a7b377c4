package io.rstream.agent.config;

import io.rstream.agent.config.AgentConfig.Kubernetes;
import io.rstream.agent.config.AgentConfig.Mtls;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a configuration must have before it is used (operator reference, section 4.2); texts and order are public. */
final class AgentConfigRules {
    private static final Pattern PORT =
            Pattern.compile("0*([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])");

    private AgentConfigRules() {}

    /** All violations, in the documented order; empty when the configuration can be used. */
    static List<String> violations(AgentConfig config) {
        List<String> found = new ArrayList<>();
        require(found, config.connection().engine(), "connection.engine is required");
        require(found, config.tunnel().name(), "tunnel.name is required");
        require(found, config.target().host(), "target.host is required");
        require(found, config.target().port(), "target.port is required");
        checkPort(found, config.target().port());
        Mtls mtls = config.connection().mtls();
        if (mtls != null) {
            require(found, mtls.certFile(), "connection.mtls.certFile is required");
            require(found, mtls.keyFile(), "connection.mtls.keyFile is required");
        }
        Kubernetes kubernetes = config.kubernetes();
        if (kubernetes != null && Boolean.TRUE.equals(kubernetes.enabled())) {
            String when = " is required when kubernetes.enabled is true";
            require(found, kubernetes.namespace(), "kubernetes.namespace" + when);
            require(found, kubernetes.tunnelName(), "kubernetes.tunnelName" + when);
        }
        return found;
    }

    private static void checkPort(List<String> found, String text) {
        if (!text.isBlank() && !PORT.matcher(text.strip()).matches()) {
            found.add("target.port \"" + text + "\" is not a port number; use 1 to 65535");
        }
    }

    private static void require(List<String> found, @Nullable String value, String message) {
        if (value == null || value.isBlank()) {
            found.add(message);
        }
    }
}
