package io.rstream.operator.connection;

import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamConnectionStatus;
import io.rstream.operator.status.Words;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pure: words the resolution of a connection for its status (operator reference, section 2.2). */
final class ConnectionStatus {

    private ConnectionStatus() {}

    static RstreamConnectionStatus of(RstreamConnection connection, ConnectionResolution resolution, Instant now) {
        return switch (resolution) {
            case ConnectionResolution.Resolved resolved -> ready(connection, resolved, now);
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
            case ConnectionResolution.LookingUp pending ->
                notReady(connection, Reason.CONNECTION_UNRESOLVED, pending.message(), now);
            case ConnectionResolution.LookUpFailed failed ->
                notReady(
                        connection,
                        failed.permanent() ? Reason.INVALID_SPEC : Reason.CONNECTION_UNRESOLVED,
                        failed.message(),
                        now);
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

    /** The same with empty messages: two that differ in words only are equal then. */
    static RstreamConnectionStatus wordless(RstreamConnectionStatus status) {
        return new RstreamConnectionStatus(
                status.observedGeneration(),
                Words.without(status.conditions()),
                status.apiURL(),
                status.projectID(),
                status.projectEndpoint(),
                status.region(),
                status.engine());
    }

    /** An empty text counts as an absent one. */
    static @Nullable String emptyToNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static RstreamConnectionStatus ready(
            RstreamConnection connection, ConnectionResolution.Resolved resolved, Instant now) {
        var ready = condition(connection, Reason.READY, "Connection settings are ready.", now);
        var project = resolved.project();
        return new RstreamConnectionStatus(
                ready.observedGeneration(),
                List.of(ready),
                project == null ? null : project.apiUrl(),
                project == null ? null : project.id(),
                project == null ? null : project.endpoint(),
                project == null ? null : project.region(),
                resolved.engine());
    }

    private static RstreamConnectionStatus notReady(
            RstreamConnection connection, Reason reason, String message, Instant now) {
        var ready = condition(connection, reason, reason.advise(message), now);
        return new RstreamConnectionStatus(ready.observedGeneration(), List.of(ready), null, null, null, null, null);
    }

    private static Condition condition(RstreamConnection connection, Reason reason, String message, Instant now) {
        var generation = connection.getMetadata().getGeneration();
        return Conditions.next(
                connection.observed().conditions(),
                ConditionType.READY,
                Status.of(reason == Reason.READY),
                reason,
                message,
                generation == null ? 0 : generation,
                now);
    }
}
