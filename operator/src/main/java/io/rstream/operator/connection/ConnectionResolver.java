package io.rstream.operator.connection;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.ConnectionRules;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamConnectionSpec;
import io.rstream.api.v1alpha1.Violation;
import io.rstream.operator.connection.ConnectionResolution.ResolvedProject;
import io.rstream.operator.controlplane.ControlPlaneAccess;
import io.rstream.operator.controlplane.EngineSelection;
import io.rstream.operator.controlplane.LookUpTarget;
import io.rstream.operator.controlplane.Project;
import io.rstream.operator.controlplane.ProjectAnswers;
import io.rstream.operator.controlplane.ProjectAnswers.Answer;
import io.rstream.operator.controlplane.ProjectSelector;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Takes a connection and the Secrets of its namespace to an engine address (operator reference, sections 2.2 and 2.3). For
 * connections that name a project it uses what the control plane said last, and asks nobody: {@link ProjectLookUp} does.
 * While nothing is known, as after a start, what the connection's own status says of the same spec still holds.
 */
public final class ConnectionResolver {

    private final ControlPlaneAccess access;
    private final ProjectAnswers answers;

    /**
     * A resolver.
     *
     * @param access which control planes may be asked
     * @param answers what control planes said
     */
    public ConnectionResolver(ControlPlaneAccess access, ProjectAnswers answers) {
        this.access = access;
        this.answers = answers;
    }

    /** A resolver that knows of no project. */
    public static ConnectionResolver withoutControlPlane() {
        return new ConnectionResolver(ControlPlaneAccess.DEFAULT, ProjectAnswers.NONE);
    }

    /**
     * Resolves a connection.
     *
     * @param secrets the Secrets of the connection's namespace that it refers to and that exist, by name
     */
    public ConnectionResolution resolve(RstreamConnection connection, Map<String, SecretKeys> secrets) {
        var obstacle = obstacle(connection, secrets);
        if (obstacle.isPresent()) {
            return obstacle.get();
        }
        var spec = connection.declared();
        return spec.engine() == null
                ? resolveProject(connection, target(spec))
                : new ConnectionResolution.Resolved(spec.engine().strip(), null);
    }

    /** What to look up; empty for a connection that needs no look-up, or that cannot have one as it is. */
    Optional<LookUpTarget> lookUpTarget(RstreamConnection connection, Map<String, SecretKeys> secrets) {
        var spec = connection.declared();
        return spec.engine() == null && obstacle(connection, secrets).isEmpty()
                ? Optional.of(target(spec))
                : Optional.empty();
    }

    private ConnectionResolution resolveProject(RstreamConnection connection, LookUpTarget target) {
        return switch (answers.of(ResourceID.fromResource(connection), target)) {
            case Answer.Found found -> select(connection.declared(), target, found.project());
            case Answer.Refused refused -> new ConnectionResolution.LookUpFailed(refused.message(), true);
            case Answer.Failed failed ->
                remembered(connection, target)
                        .orElseGet(() -> new ConnectionResolution.LookUpFailed(failed.message(), false));
            case Answer.Pending pending ->
                remembered(connection, target)
                        .or(() -> said(connection))
                        .orElseGet(() -> new ConnectionResolution.LookingUp(
                                "Looking up %s at %s."
                                        .formatted(target.selector().wording(), target.apiUrl()),
                                pending.overdue()));
        };
    }

    private static ConnectionResolution select(RstreamConnectionSpec spec, LookUpTarget target, Project project) {
        return switch (EngineSelection.of(project, spec.region())) {
            case EngineSelection.Selected selected ->
                new ConnectionResolution.Resolved(
                        selected.engine(),
                        new ResolvedProject(
                                target.apiUrl(),
                                ConnectionStatus.emptyToNull(project.id()),
                                ConnectionStatus.emptyToNull(project.endpoint()),
                                selected.region()));
            case EngineSelection.Refused refused -> new ConnectionResolution.LookUpFailed(refused.message(), true);
        };
    }

    /** What the status says of this very spec, unless it was asked elsewhere. */
    private static Optional<ConnectionResolution> remembered(RstreamConnection connection, LookUpTarget target) {
        var status = connection.observed();
        var engine = status.engine();
        var isReady = current(connection)
                .filter(ready -> ready.status() == Condition.Status.TRUE)
                .isPresent();
        if (!isReady || engine == null || engine.isEmpty() || !target.apiUrl().equals(status.apiURL())) {
            return Optional.empty();
        }
        return Optional.of(new ConnectionResolution.Resolved(
                engine,
                new ResolvedProject(
                        target.apiUrl(),
                        status.projectID(),
                        status.projectEndpoint(),
                        Objects.requireNonNullElse(status.region(), EngineSelection.AUTO))));
    }

    /** Why the last look-up for this very spec gave nothing. */
    private static Optional<ConnectionResolution> said(RstreamConnection connection) {
        return current(connection)
                .filter(ready -> ready.status() == Condition.Status.FALSE)
                .filter(ready -> Stream.of(Reason.INVALID_SPEC, Reason.CONNECTION_UNRESOLVED)
                        .anyMatch(reason -> reason.code().equals(ready.reason())))
                .map(ready -> new ConnectionResolution.LookUpFailed(
                        ready.message(), ready.reason().equals(Reason.INVALID_SPEC.code())));
    }

    private static Optional<Condition> current(RstreamConnection connection) {
        return Conditions.find(connection.observed().conditions(), ConditionType.READY)
                .filter(ready -> Objects.equals(
                        ready.observedGeneration(), connection.getMetadata().getGeneration()));
    }

    private static LookUpTarget target(RstreamConnectionSpec spec) {
        var selector = spec.projectEndpoint() == null
                ? new ProjectSelector.Id(String.valueOf(spec.projectID()).strip())
                : new ProjectSelector.Endpoint(spec.projectEndpoint().strip());
        return new LookUpTarget(ControlPlaneAccess.normalized(spec.apiURL()), selector);
    }

    /** What keeps a connection from being used or looked up. */
    private Optional<ConnectionResolution> obstacle(RstreamConnection connection, Map<String, SecretKeys> secrets) {
        var spec = connection.declared();
        if (spec.secretRefs().isEmpty() && connection.unreadableSpec().isEmpty()) {
            return Optional.of(new ConnectionResolution.CredentialMissing());
        }
        var violations = ConnectionRules.violations(connection);
        if (!violations.isEmpty()) {
            return Optional.of(new ConnectionResolution.Invalid(
                    violations.stream().map(Violation::text).distinct().collect(Collectors.joining("; "))));
        }
        for (var ref : spec.secretRefs()) {
            var secret = secrets.get(ref.name());
            if (secret == null) {
                return Optional.of(new ConnectionResolution.SecretMissing(ref.name()));
            }
            if (!secret.keys().contains(ref.key())) {
                return Optional.of(new ConnectionResolution.KeyMissing(ref.name(), ref.key()));
            }
        }
        return spec.engine() == null
                ? objection(target(spec)).map(ConnectionResolution.Invalid::new)
                : Optional.empty();
    }

    private Optional<String> objection(LookUpTarget target) {
        return target.selector().value().isEmpty()
                ? Optional.of("one of projectEndpoint, projectID, or engine is required")
                : access.objection(target.apiUrl());
    }
}
