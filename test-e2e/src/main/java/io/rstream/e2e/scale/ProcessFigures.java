package io.rstream.e2e.scale;

import io.rstream.e2e.bench.ResidentMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process has cost so far, as the Linux kernel counts it (proc(5)); zeros where the system does not say.
 *
 * @param residentBytes memory in RAM now
 * @param peakBytes the most memory that was in RAM at once
 * @param cpuSeconds time on a processor, all threads together
 */
record ProcessFigures(long residentBytes, long peakBytes, double cpuSeconds) {

    private static final double TICKS_PER_SECOND = 100;
    private static final int USER_TIME = 11; // position after the name in parentheses; system time follows

    static ProcessFigures of(long pid) {
        return new ProcessFigures(ResidentMemory.of(pid).orElse(0), peak(pid), cpu(pid));
    }

    private static long peak(long pid) {
        return read(pid, "status")
                .lines()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .findFirst()
                .orElse(0);
    }

    private static double cpu(long pid) {
        var text = read(pid, "stat");
        if (text.isEmpty()) {
            return 0;
        }
        var fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[USER_TIME + 1])) / TICKS_PER_SECOND;
    }

    private static String read(long pid, String file) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(pid), file));
        } catch (IOException notHere) {
            return "";
        }
    }
}
