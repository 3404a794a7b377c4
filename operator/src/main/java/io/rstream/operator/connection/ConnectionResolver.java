package io.rstream.operator.connection;

import io.rstream.api.v1alpha1.ConnectionRules;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.Violation;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Takes a connection and the Secrets of its namespace to an engine address (operator reference, sections 2.2 and 2.3).
 * Connections that name a project need a look-up in the control plane, which this version does not do; they are reported
 * as unresolved.
 */
public final class ConnectionResolver {

    static final String LOOK_UP_UNAVAILABLE =
            "this version of the operator cannot look up projectEndpoint and projectID"
                    + " in the control plane yet; set engine to the address of the engine instead";

    /**
     * Resolves a connection.
     *
     * @param secrets the Secrets of the connection's namespace that it refers to and that exist, by name
     */
    public ConnectionResolution resolve(RstreamConnection connection, Map<String, SecretKeys> secrets) {
        var spec = connection.declared();
        if (spec.secretRefs().isEmpty() && connection.unreadableSpec().isEmpty()) {
            return new ConnectionResolution.CredentialMissing();
        }
        var violations = ConnectionRules.violations(connection);
        if (!violations.isEmpty()) {
            return new ConnectionResolution.Invalid(
                    violations.stream().map(Violation::text).distinct().collect(Collectors.joining("; ")));
        }
        for (var ref : spec.secretRefs()) {
            var secret = secrets.get(ref.name());
            if (secret == null) {
                return new ConnectionResolution.SecretMissing(ref.name());
            }
            if (!secret.keys().contains(ref.key())) {
                return new ConnectionResolution.KeyMissing(ref.name(), ref.key());
            }
        }
        return spec.engine() == null
                ? new ConnectionResolution.LookUpFailed(LOOK_UP_UNAVAILABLE)
                : new ConnectionResolution.Resolved(spec.engine().strip());
    }
}
