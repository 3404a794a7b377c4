package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the volumes of a pod into a private directory. Since a process sees no mounts, mount paths in arguments and in
 * ConfigMaps are replaced by where the files really are.
 */
final class PodVolumes {

    private final Path directory;
    private final References references;
    private final Map<String, String> realPaths =
            new TreeMap<>(Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));

    PodVolumes(Path directory, References references) {
        this.directory = directory;
        this.references = references;
    }

    /** Writes the volumes that the container mounts. */
    void write(Pod pod, Container container) throws IOException, NotYetException {
        for (var mount : container.getVolumeMounts()) {
            realPaths.put(
                    mount.getMountPath(), directory.resolve(mount.getName()).toString());
        }
        for (var volume : pod.getSpec().getVolumes()) {
            if (container.getVolumeMounts().stream()
                    .anyMatch(mount -> mount.getName().equals(volume.getName()))) {
                write(volume);
            }
        }
    }

    /** Replaces mount paths by real ones: in one pass, since a real path may contain a mount path such as {@code /tmp}. */
    String withRealPaths(String text) {
        if (realPaths.isEmpty()) {
            return text;
        }
        var paths = realPaths.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|"));
        return Pattern.compile("(?<![\\w/.-])(" + paths + ")(?![\\w.-])")
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(String.valueOf(realPaths.get(found.group(1)))));
    }

    private void write(Volume volume) throws IOException, NotYetException {
        var folder = directory.resolve(volume.getName());
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        for (var file : content(volume).entrySet()) {
            Files.write(folder.resolve(file.getKey()), file.getValue());
        }
    }

    private Map<String, byte[]> content(Volume volume) throws NotYetException {
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
                content.putAll(content(name, source));
            }
        }
        return content;
    }

    private Map<String, byte[]> content(String volume, VolumeProjection source) throws NotYetException {
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
        var content = chosen(volume, "configmap", name, references.configMap(name), optional, items);
        content.replaceAll((_, value) ->
                withRealPaths(new String(value, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8));
        return content;
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
