package io.rstream.e2e.node;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the ConfigMaps and Secrets that a pod refers to. */
record References(KubernetesClient client, String namespace) {

    /** The content of a Secret; empty when there is no such Secret. */
    Optional<Map<String, byte[]>> secret(String name) {
        var secret = client.secrets().inNamespace(namespace).withName(name).get();
        if (secret == null) {
            return Optional.empty();
        }
        var content = new TreeMap<String, byte[]>();
        orEmpty(secret.getData())
                .forEach((key, value) -> content.put(key, Base64.getDecoder().decode(value)));
        return Optional.of(content);
    }

    /** The content of a ConfigMap; empty when there is no such ConfigMap. */
    Optional<Map<String, byte[]>> configMap(String name) {
        var map = client.configMaps().inNamespace(namespace).withName(name).get();
        if (map == null) {
            return Optional.empty();
        }
        var content = new TreeMap<String, byte[]>();
        orEmpty(map.getData()).forEach((key, value) -> content.put(key, value.getBytes(StandardCharsets.UTF_8)));
        orEmpty(map.getBinaryData())
                .forEach((key, value) -> content.put(key, Base64.getDecoder().decode(value)));
        return Optional.of(content);
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
