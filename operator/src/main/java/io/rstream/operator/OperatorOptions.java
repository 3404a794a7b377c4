package io.rstream.operator;

import io.rstream.operator.controlplane.ControlPlaneOptions;
import io.rstream.operator.tunnel.AgentDefaults;
import io.rstream.process.BindAddress;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the flags say (operator reference, section 3.12).
 *
 * @param metrics where metrics are served; null for nowhere
 * @param health where health is served; null for nowhere
 * @param agents what agents get unless their tunnel says something else
 * @param leaderElection how to be the only one that works; null for no election
 * @param watchNamespaces the namespaces that the operator looks at; empty means all
 * @param controlPlane how control planes are reached
 */
public record OperatorOptions(
        @Nullable BindAddress metrics,
        @Nullable BindAddress health,
        AgentDefaults agents,
        @Nullable LeaderElection leaderElection,
        Set<String> watchNamespaces,
        ControlPlaneOptions controlPlane) {

    /** Name of the Lease, in the pod's namespace; the same as that of earlier operators, so that only one works. */
    public static final String LEASE = "rstream-operator.tunnels.rstream.io";

    public static final String DEFAULT_METRICS_ADDRESS = ":8080";
    public static final String DEFAULT_HEALTH_ADDRESS = ":8081";

    /**
     * How the operator competes for the Lease.
     *
     * @param namespace namespace of the Lease
     * @param identity name of this process in the Lease, another one for each process
     */
    public record LeaderElection(String namespace, String identity) {}

    public OperatorOptions {
        watchNamespaces = Set.copyOf(watchNamespaces);
    }

    /** The same options, competing for the Lease. */
    public OperatorOptions withLeaderElection(LeaderElection election) {
        return new OperatorOptions(metrics, health, agents, election, watchNamespaces, controlPlane);
    }

    /** The same options, looking at these namespaces; at all when there are none. */
    public OperatorOptions withWatchNamespaces(Set<String> namespaces) {
        return new OperatorOptions(metrics, health, agents, leaderElection, namespaces, controlPlane);
    }

    /** The same options with another way to control planes. */
    public OperatorOptions withControlPlane(ControlPlaneOptions other) {
        return new OperatorOptions(metrics, health, agents, leaderElection, watchNamespaces, other);
    }

    /** Options without election and with ports that the system chooses, for tests and local clusters. */
    public static OperatorOptions local(String agentImage) {
        var anyPort = new BindAddress("127.0.0.1", 0);
        return new OperatorOptions(
                anyPort, anyPort, AgentDefaults.ofImage(agentImage), null, Set.of(), ControlPlaneOptions.standard());
    }

    /** The agent image that this version goes with. */
    public static String defaultAgentImage(Optional<String> environment, String version) {
        return environment
                .map(String::strip)
                .filter(image -> !image.isEmpty())
                .orElse("docker.io/rstream/rstream-operator:" + version);
    }
}
