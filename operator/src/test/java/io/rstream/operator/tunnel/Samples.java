package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.operator.connection.SecretKeys;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Objects for tests of the pure parts, read from YAML as a cluster would deliver them. */
final class Samples {

    static final KubernetesSerialization YAML = new KubernetesSerialization();

    private Samples() {}

    static RstreamTunnel tunnel(String yaml) {
        return YAML.unmarshal(yaml, RstreamTunnel.class);
    }

    /** Tunnel demo/web with UID uid-1 and the given flow-style spec fields. */
    static RstreamTunnel web(String spec) {
        return tunnel("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamTunnel
                metadata: {name: web, namespace: demo, uid: uid-1, generation: 1}
                spec: %s
                """.formatted(spec));
    }

    /** Connection demo/default with the given flow-style spec fields. */
    static RstreamConnection connection(String spec) {
        return YAML.unmarshal("""
                apiVersion: tunnels.rstream.io/v1alpha1
                kind: RstreamConnection
                metadata: {name: default, namespace: demo, generation: 1}
                spec: %s
                """.formatted(spec), RstreamConnection.class);
    }

    /** Service demo/web with the given flow-style ports. */
    static Service service(String ports) {
        return YAML.unmarshal("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: demo}
                spec: {ports: %s}
                """.formatted(ports), Service.class);
    }

    static Map<String, SecretKeys> secrets(String yaml) {
        Object read = YAML.unmarshal(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
        List<?> objects = read instanceof List<?> list ? list : List.of(read);
        return objects.stream()
                .map(Secret.class::cast)
                .map(SecretKeys::of)
                .collect(Collectors.toMap(SecretKeys::name, secret -> secret));
    }

    static TunnelInputs inputs(
            RstreamTunnel tunnel, @Nullable RstreamConnection connection, String secrets, @Nullable Service service) {
        return new TunnelInputs(
                tunnel, connection, secrets.isEmpty() ? Map.of() : secrets(secrets), service, true, List.of());
    }
}
