package io.rstream.e2e.process;

import java.util.ArrayList;
import java.util.List;

/**
 * The JVM flags of the images, so that tests and figures hold for what users run. A process that needs more memory than
 * this ends at once instead of limping on.
 */
public final class JvmFlags {
    private static final List<String> COMMON = List.of(
            "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-Xss512k", "--enable-native-access=ALL-UNNAMED");

    /** Heap and direct memory of the agent: 48 MiB each. */
    public static final List<String> AGENT = with(COMMON, "-Xmx48m", "-XX:MaxDirectMemorySize=48m");

    /** Heap and direct memory of the engine: 96 MiB each. */
    public static final List<String> ENGINE = with(COMMON, "-Xmx96m", "-XX:MaxDirectMemorySize=96m");

    /**
     * Heap of the operator: 256 MiB, enough for 10,000 tunnels; it grows as it is needed. The quick compiler only: the optimising
     * one takes tens of MiB and, after a start, more processor time than the operator itself.
     */
    public static final List<String> OPERATOR = with(COMMON, "-XX:TieredStopAtLevel=1", "-Xms32m", "-Xmx256m");

    /** For commands that print something and end: the quick compiler only. */
    public static final List<String> SHORT_LIVED =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx96m", "--enable-native-access=ALL-UNNAMED");

    private static final String LEAK_DETECTION = "-Dio.netty.leakDetection.level=paranoid";

    private JvmFlags() {}

    /** The same flags with Netty's strictest leak detection, which logs an error that contains {@code LEAK}. */
    public static List<String> withLeakDetection(List<String> flags) {
        return with(flags, LEAK_DETECTION, "-Dio.netty.leakDetection.targetRecords=16");
    }

    private static List<String> with(List<String> flags, String... more) {
        var all = new ArrayList<>(flags);
        all.addAll(List.of(more));
        return List.copyOf(all);
    }
}
