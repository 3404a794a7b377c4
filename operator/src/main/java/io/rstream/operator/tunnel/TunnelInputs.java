package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.Service;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.operator.connection.SecretKeys;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one pass over a tunnel looks at, read once. The objects are shared with caches: read only.
 *
 * @param tunnel the tunnel
 * @param connection the connection that it uses, if that exists
 * @param secrets those Secrets that the connection refers to and that exist, by name
 * @param service the Service that it leads to, if that exists and its namespace is watched
 * @param serviceWatched whether the namespace of the Service is watched
 * @param olderRivals older tunnels that ask for the same public address, the oldest first
 */
record TunnelInputs(
        RstreamTunnel tunnel,
        @Nullable RstreamConnection connection,
        Map<String, SecretKeys> secrets,
        @Nullable Service service,
        boolean serviceWatched,
        List<Rival> olderRivals) {

    TunnelInputs {
        secrets = Map.copyOf(secrets);
        olderRivals = List.copyOf(olderRivals);
    }

    /**
     * A tunnel that asks for the same public address.
     *
     * @param id its namespace and name, as {@code namespace/name}
     * @param engine the engine that it uses
     */
    record Rival(String id, String engine) {}
}
