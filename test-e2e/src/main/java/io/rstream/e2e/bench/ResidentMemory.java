package io.rstream.e2e.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Memory of a process that is really in RAM, as the Linux kernel counts it (proc(5)). */
public final class ResidentMemory {
    private static final long KIBIBYTE = 1_024;

    private ResidentMemory() {}

    /** Bytes, or empty where the system does not say. */
    public static OptionalLong of(long pid) {
        OptionalLong exact = read(Path.of("/proc", String.valueOf(pid), "smaps_rollup"), "Rss:");
        return exact.isPresent() ? exact : read(Path.of("/proc", String.valueOf(pid), "status"), "VmRSS:");
    }

    private static OptionalLong read(Path file, String key) {
        if (!Files.isReadable(file)) {
            return OptionalLong.empty();
        }
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIBIBYTE)
                    .findFirst();
        } catch (IOException notAllowed) {
            return OptionalLong.empty();
        }
    }
}
