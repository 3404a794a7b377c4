package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a volume shows now: files by name, empty for kinds of volumes that start empty. */
record VolumeContent(References references) {

    Map<String, byte[]> of(Volume volume) throws NotYetException {
        var name = volume.getName();
        var content = new LinkedHashMap<String, byte[]>();
        if (volume.getConfigMap() != null) {
            var source = volume.getConfigMap();
            content.putAll(configMap(name, source.getName(), source.getOptional(), source.getItems()));
        }
        if (volume.getSecret() != null) {
            var source = volume.getSecret();
            content.putAll(secret(name, source.getSecretName(), source.getOptional(), source.getItems()));
        }
        if (volume.getProjected() != null) {
            for (var source : volume.getProjected().getSources()) {
                content.putAll(projected(name, source));
            }
        }
        return content;
    }

    private Map<String, byte[]> projected(String volume, VolumeProjection source) throws NotYetException {
        if (source.getConfigMap() != null) {
            var map = source.getConfigMap();
            return configMap(volume, map.getName(), map.getOptional(), map.getItems());
        }
        if (source.getSecret() != null) {
            var secret = source.getSecret();
            return secret(volume, secret.getName(), secret.getOptional(), secret.getItems());
        }
        return Map.of();
    }

    private Map<String, byte[]> configMap(String volume, String name, @Nullable Boolean optional, List<KeyToPath> items)
            throws NotYetException {
        return chosen(volume, "configmap", name, references.configMap(name), optional, items);
    }

    private Map<String, byte[]> secret(String volume, String name, @Nullable Boolean optional, List<KeyToPath> items)
            throws NotYetException {
        return chosen(volume, "secret", name, references.secret(name), optional, items);
    }

    private static Map<String, byte[]> chosen(
            String volume,
            String kind,
            String name,
            Optional<Map<String, byte[]>> found,
            @Nullable Boolean optional,
            List<KeyToPath> items)
            throws NotYetException {
        var mayMiss = Boolean.TRUE.equals(optional);
        if (found.isEmpty() && !mayMiss) {
            throw NotYetException.volume(volume, "%s \"%s\" not found".formatted(kind, name));
        }
        var content = found.orElse(Map.of());
        if (items.isEmpty()) {
            return new LinkedHashMap<>(content);
        }
        var files = new LinkedHashMap<String, byte[]>();
        for (var item : items) {
            var value = content.get(item.getKey());
            if (value == null && !mayMiss) {
                throw NotYetException.volume(
                        volume, "references non-existent %s key: %s".formatted(kind, item.getKey()));
            }
            if (value != null) {
                files.put(item.getPath(), value);
            }
        }
        return files;
    }
}
