package io.rstream.operator.connection;

import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamConnectionStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pure: words the resolution of a connection for its status (operator reference, section 2.2). */
final class ConnectionStatus {

    private ConnectionStatus() {}

    static RstreamConnectionStatus of(RstreamConnection connection, ConnectionResolution resolution, Instant now) {
        return switch (resolution) {
            case ConnectionResolution.Resolved resolved ->
                status(connection, Reason.READY, "Connection settings are ready.", resolved.engine(), now);
            case ConnectionResolution.CredentialMissing _ ->
                notReady(connection, Reason.SECRET_MISSING, "tokenSecretRef or mtls is required", now);
            case ConnectionResolution.SecretMissing missing ->
                notReady(
                        connection,
                        Reason.SECRET_MISSING,
                        "Secret \"%s\" was not found".formatted(missing.secret()),
                        now);
            case ConnectionResolution.KeyMissing missing ->
                notReady(
                        connection,
                        Reason.SECRET_MISSING,
                        "secret \"%s\" key \"%s\" is missing".formatted(missing.secret(), missing.key()),
                        now);
            case ConnectionResolution.Invalid invalid ->
                notReady(connection, Reason.INVALID_SPEC, invalid.message(), now);
            case ConnectionResolution.LookUpFailed failed ->
                notReady(connection, Reason.CONNECTION_UNRESOLVED, failed.message(), now);
        };
    }

    /** What the operator owns of a status: all but the conditions of others. Empty text counts as absent. */
    static RstreamConnectionStatus owned(RstreamConnectionStatus status) {
        return new RstreamConnectionStatus(
                status.observedGeneration(),
                Conditions.find(status.conditions(), ConditionType.READY).stream()
                        .toList(),
                emptyToNull(status.apiURL()),
                emptyToNull(status.projectID()),
                emptyToNull(status.projectEndpoint()),
                emptyToNull(status.region()),
                emptyToNull(status.engine()));
    }

    private static @Nullable String emptyToNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static RstreamConnectionStatus notReady(
            RstreamConnection connection, Reason reason, String message, Instant now) {
        return status(connection, reason, message, null, now);
    }

    private static RstreamConnectionStatus status(
            RstreamConnection connection, Reason reason, String message, @Nullable String engine, Instant now) {
        var present = connection.getStatus() == null
                ? List.<Condition>of()
                : connection.getStatus().conditions();
        var generation = connection.getMetadata().getGeneration();
        var ready = Conditions.next(
                present,
                ConditionType.READY,
                Status.of(reason == Reason.READY),
                reason,
                message,
                generation == null ? 0 : generation,
                now);
        return new RstreamConnectionStatus(ready.observedGeneration(), List.of(ready), null, null, null, null, engine);
    }
}
