package io.rstream.operator.tunnel;

import io.rstream.api.v1alpha1.Reason;
import io.rstream.operator.tunnel.children.AgentWorkload;
import org.jspecify.annotations.Nullable;

/** What should be done about a tunnel. */
sealed interface TunnelPlan {

    /**
     * Something is missing or wrong. Running children are left as they are: an agent goes on with its last good
     * configuration, while the tunnel says that it is not ready.
     *
     * @param reason why; {@link Reason#INVALID_SPEC} is about the spec itself, any other about what it refers to
     * @param message what a user has to know; with a full stop at its end if it says what to do, see {@link Reason#advise}
     */
    record Blocked(Reason reason, String message) implements TunnelPlan {}

    /**
     * An agent should run.
     *
     * @param workload what its children follow from
     * @param rstreamName name of the tunnel in rstream
     * @param hostname host name for the status, which keeps it for later passes; null for none
     * @param target {@code host:port} that the agent dials
     */
    record Ready(
            AgentWorkload workload,
            String rstreamName,
            @Nullable String hostname,
            String target) implements TunnelPlan {}
}
