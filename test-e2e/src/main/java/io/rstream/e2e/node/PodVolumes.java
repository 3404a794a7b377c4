package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The volumes of a pod, below a private directory that stands for its root, and renewed while it runs. Since a process sees
 * no mounts, mount paths in arguments and variables are replaced by where the files really are; configuration files are
 * left as they are, and the agent is told of the root.
 */
final class PodVolumes {

    private final Path root;
    private final VolumeContent content;
    private final Map<String, Path> realPaths =
            new TreeMap<>(Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
    private final Map<String, MountedFiles> mounted = new LinkedHashMap<>();

    PodVolumes(Path root, References references) {
        this.root = root;
        this.content = new VolumeContent(references);
    }

    Path root() {
        return root;
    }

    /** Writes the volumes that the container mounts. */
    void write(Pod pod, Container container) throws IOException, NotYetException {
        var volumes = pod.getSpec().getVolumes().stream().collect(Collectors.toMap(Volume::getName, volume -> volume));
        for (var mount : container.getVolumeMounts()) {
            var volume = volumes.get(mount.getName());
            if (volume == null) {
                continue;
            }
            var folder = root.resolve(mount.getMountPath().substring(1));
            realPaths.put(mount.getMountPath(), folder);
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            var files = mounted.computeIfAbsent(mount.getMountPath(), _ -> new MountedFiles(volume, folder));
            files.show(content.of(volume));
        }
    }

    /** Shows what ConfigMaps and Secrets hold now. As with a kubelet, what is missing now stays as it was. */
    void renew() throws IOException {
        for (var files : mounted.values()) {
            try {
                files.show(content.of(files.volume()));
            } catch (NotYetException _) {
                // A Secret or a key is gone: running pods keep what they have.
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
}
