package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of one mounted volume, replaced all at once as a kubelet does it: each file is a link to {@code ..data/<file>},
 * and {@code ..data} is a link to a directory that never changes.
 */
final class MountedFiles {

    private static final String DATA = "..data";

    private final Volume volume;
    private final Path folder;
    private Map<String, byte[]> shown = Map.of();
    private @Nullable Path directory;
    private int version;

    MountedFiles(Volume volume, Path folder) {
        this.volume = volume;
        this.folder = folder;
    }

    Volume volume() {
        return volume;
    }

    /** Makes these the files, unless they are already. */
    void show(Map<String, byte[]> files) throws IOException {
        if (same(files)) {
            return;
        }
        var old = directory;
        version++;
        var next = Files.createDirectory(folder.resolve("..version-" + version));
        for (var file : files.entrySet()) {
            Files.write(next.resolve(file.getKey()), file.getValue());
        }
        var link = Files.createSymbolicLink(folder.resolve("..data_next"), next.getFileName());
        Files.move(link, folder.resolve(DATA), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        link(files);
        shown = new HashMap<>(files);
        directory = next;
        if (old != null) {
            delete(old);
        }
    }

    private void link(Map<String, byte[]> files) throws IOException {
        for (var name : files.keySet()) {
            if (!shown.containsKey(name)) {
                Files.createSymbolicLink(folder.resolve(name), Path.of(DATA, name));
            }
        }
        var vanished = new HashSet<>(shown.keySet());
        vanished.removeAll(files.keySet());
        for (var name : vanished) {
            Files.deleteIfExists(folder.resolve(name));
        }
    }

    private boolean same(Map<String, byte[]> files) {
        return files.keySet().equals(shown.keySet())
                && files.entrySet().stream().allMatch(file -> Arrays.equals(file.getValue(), shown.get(file.getKey())));
    }

    private static void delete(Path old) throws IOException {
        try (var files = Files.list(old)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(old);
    }
}
