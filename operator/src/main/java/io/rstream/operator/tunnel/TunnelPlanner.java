package io.rstream.operator.tunnel;

import io.rstream.agent.config.AgentConfigFile;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelSpec;
import io.rstream.api.v1alpha1.TunnelProtocol;
import io.rstream.api.v1alpha1.TunnelRules;
import io.rstream.api.v1alpha1.Violation;
import io.rstream.operator.connection.ConnectionResolution;
import io.rstream.operator.connection.ConnectionResolver;
import io.rstream.operator.tunnel.children.AgentCredentials;
import io.rstream.operator.tunnel.children.AgentWorkload;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Pure: decides what should be done about a tunnel from everything it refers to (operator reference, section 3.2). */
final class TunnelPlanner {

    private final ConnectionResolver resolver;
    private final AgentDefaults defaults;

    /**
     * A planner.
     *
     * @param defaults what agents get unless their tunnel says something else
     */
    TunnelPlanner(ConnectionResolver resolver, AgentDefaults defaults) {
        this.resolver = resolver;
        this.defaults = defaults;
    }

    TunnelPlan plan(TunnelInputs inputs) {
        var tunnel = inputs.tunnel();
        var invalid = invalidity(tunnel);
        if (invalid.isPresent()) {
            return new TunnelPlan.Blocked(Reason.INVALID_SPEC, invalid.get());
        }
        var connection = inputs.connection();
        var name = tunnel.getSpec().connectionName();
        if (connection == null) {
            return new TunnelPlan.Blocked(
                    Reason.CONNECTION_MISSING, "RstreamConnection \"%s\" was not found".formatted(name));
        }
        return switch (resolver.resolve(connection, inputs.secrets())) {
            case ConnectionResolution.Resolved resolved -> planTarget(inputs, connection, resolved);
            case ConnectionResolution.CredentialMissing _ ->
                new TunnelPlan.Blocked(
                        Reason.SECRET_MISSING,
                        "RstreamConnection \"%s\" must reference tokenSecretRef or mtls".formatted(name));
            case ConnectionResolution.SecretMissing missing ->
                new TunnelPlan.Blocked(
                        Reason.SECRET_MISSING, "secret \"%s\" was not found".formatted(missing.secret()));
            case ConnectionResolution.KeyMissing missing ->
                new TunnelPlan.Blocked(
                        Reason.SECRET_MISSING,
                        "secret \"%s\" key \"%s\" is missing".formatted(missing.secret(), missing.key()));
            case ConnectionResolution.Invalid broken ->
                new TunnelPlan.Blocked(
                        Reason.CONNECTION_UNRESOLVED,
                        "RstreamConnection \"%s\" is invalid: %s".formatted(name, broken.message()));
            case ConnectionResolution.LookingUp pending ->
                new TunnelPlan.Blocked(Reason.CONNECTION_UNRESOLVED, pending.message());
            case ConnectionResolution.LookUpFailed failed ->
                new TunnelPlan.Blocked(Reason.CONNECTION_UNRESOLVED, failed.message());
        };
    }

    private static Optional<String> invalidity(RstreamTunnel tunnel) {
        var violations = TunnelRules.violations(tunnel);
        return violations.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        violations.stream().map(Violation::text).distinct().collect(Collectors.joining("; ")));
    }

    private TunnelPlan planTarget(
            TunnelInputs inputs, RstreamConnection connection, ConnectionResolution.Resolved resolved) {
        var tunnel = inputs.tunnel();
        var holder = holder(inputs, resolved.engine());
        if (holder.isPresent()) {
            return holder.get();
        }
        if (!inputs.serviceWatched()) {
            return unwatched(tunnel);
        }
        return switch (ServiceTarget.find(tunnel.getSpec(), tunnel.getMetadata().getNamespace(), inputs.service())) {
            case ServiceTarget.Found target -> planWorkload(tunnel, connection, resolved, target);
            case ServiceTarget.Missing missing -> new TunnelPlan.Blocked(missing.reason(), missing.message());
        };
    }

    private static Optional<TunnelPlan> holder(TunnelInputs inputs, String engine) {
        return PublicAddress.wanted(inputs.tunnel())
                .flatMap(address -> inputs.olderRivals().stream()
                        .filter(rival -> host(rival.engine()).equals(host(engine)))
                        .findFirst()
                        .map(rival -> new TunnelPlan.Blocked(
                                Reason.ADDRESS_CONFLICT,
                                "%s belongs to the older tunnel \"%s\"; ask for another one, or delete that tunnel."
                                        .formatted(address.text(), rival.id()))));
    }

    /** One engine may be written with and without its port. */
    private static String host(String engine) {
        var text = engine.strip().toLowerCase(Locale.ROOT);
        return text.endsWith(":443") ? text.substring(0, text.length() - 4) : text;
    }

    private static TunnelPlan unwatched(RstreamTunnel tunnel) {
        var namespace = tunnel.getSpec().serviceNamespace(tunnel.getMetadata().getNamespace());
        return new TunnelPlan.Blocked(
                Reason.SERVICE_MISSING,
                "service \"%s\" is in namespace \"%s\", which this operator does not watch; use a Service in a watched"
                                .formatted(tunnel.getSpec().target().service().name(), namespace)
                        + " namespace, or start the operator with --watch-namespace=%s too.".formatted(namespace));
    }

    private TunnelPlan planWorkload(
            RstreamTunnel tunnel,
            RstreamConnection connection,
            ConnectionResolution.Resolved resolved,
            ServiceTarget.Found target) {
        var metadata = tunnel.getMetadata();
        var spec = tunnel.getSpec();
        var rstreamName = spec.declaredTunnelName()
                .orElseGet(() -> AgentNames.rstreamName(metadata.getNamespace(), metadata.getName()));
        var childName = AgentNames.childBaseName(metadata.getNamespace(), metadata.getName(), metadata.getUid());
        var hostname = hostname(tunnel, resolved.engine());
        var config =
                DesiredAgentConfig.of(tunnel, connection.declared(), resolved.engine(), rstreamName, hostname, target);
        var configFile = AgentConfigFile.write(config);
        var workload = new AgentWorkload(
                metadata.getNamespace(),
                metadata.getName(),
                metadata.getUid(),
                childName,
                AgentNames.configMapName(childName),
                configFile,
                image(spec),
                AgentCredentials.of(connection.declared()),
                defaults.imagePullSecrets(),
                ReplacementMode.choose(tunnel.observed(), resolved.engine(), AgentConfigFile.hash(configFile)),
                spec.agent());
        return new TunnelPlan.Ready(workload, rstreamName, statusHostname(tunnel, hostname), target.address());
    }

    private static @Nullable String hostname(RstreamTunnel tunnel, String engine) {
        var spec = tunnel.getSpec();
        if (!spec.published() || spec.effectiveProtocol() == TunnelProtocol.TCP) {
            return null;
        }
        return spec.declaredHostname()
                .orElseGet(() -> StableHostname.choose(
                        storedHostname(tunnel), engine, tunnel.getMetadata().getUid()));
    }

    /** An unpublished tunnel keeps its name for the day it is published again; a TCP tunnel never has one. */
    private static @Nullable String statusHostname(RstreamTunnel tunnel, @Nullable String hostname) {
        var isTcp = tunnel.getSpec().effectiveProtocol() == TunnelProtocol.TCP;
        return hostname != null || isTcp ? hostname : storedHostname(tunnel);
    }

    private static @Nullable String storedHostname(RstreamTunnel tunnel) {
        var stored = tunnel.observed().hostname();
        return stored == null || stored.isBlank() ? null : stored.strip();
    }

    private String image(RstreamTunnelSpec spec) {
        var agent = spec.agent();
        return agent == null || agent.image() == null || agent.image().isBlank() ? defaults.image() : agent.image();
    }
}
