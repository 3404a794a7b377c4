package io.rstream.e2e.install;

import io.rstream.e2e.process.EngineSettings;
import io.rstream.e2e.process.JvmFlags;
import io.rstream.testcluster.FaultyApi;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How an {@link Installation} is put together.
 *
 * @param directory for files and logs; must exist
 * @param ownCluster whether to start a cluster, rather than to share the one of this JVM
 * @param faulty whether operator and agents reach the API server through a {@link FaultyApi}
 * @param engine how the engine runs; its folder must be {@link #engineDirectory}
 * @param agentJvmFlags flags of the agents' JVMs
 * @param operatorJvmFlags flags of the operator's JVM
 */
public record InstallationSettings(
        Path directory,
        boolean ownCluster,
        boolean faulty,
        EngineSettings engine,
        List<String> agentJvmFlags,
        List<String> operatorJvmFlags) {

    // Most of what a short run spends is the optimising compiler.
    private static final String QUICK_COMPILER = "-XX:TieredStopAtLevel=1";

    /** Copies the lists. */
    public InstallationSettings {
        agentJvmFlags = List.copyOf(agentJvmFlags);
        operatorJvmFlags = List.copyOf(operatorJvmFlags);
    }

    /** For the quickstart: a cluster of its own, nothing in front of it, TCP ports in the range that the samples use. */
    public static InstallationSettings forQuickstart(Path directory) {
        var engine = EngineSettings.in(engineDirectory(directory))
                .withTcpPorts(10_042, 20)
                .withJvmFlags(with(JvmFlags.ENGINE, QUICK_COMPILER));
        return new InstallationSettings(
                directory, true, false, engine, with(JvmFlags.AGENT, QUICK_COMPILER), JvmFlags.OPERATOR);
    }

    /** For tests: the cluster of this JVM behind a {@link FaultyApi}, Netty's leak detection at its strictest. */
    public static InstallationSettings forTests(Path directory) {
        var engine =
                EngineSettings.in(engineDirectory(directory)).withJvmFlags(JvmFlags.withLeakDetection(JvmFlags.ENGINE));
        return new InstallationSettings(
                directory, false, true, engine, JvmFlags.withLeakDetection(JvmFlags.AGENT), JvmFlags.OPERATOR);
    }

    /** Where the engine's files are. */
    public static Path engineDirectory(Path directory) {
        return directory.resolve("engine");
    }

    private static List<String> with(List<String> flags, String flag) {
        var all = new ArrayList<>(flags);
        all.add(flag);
        return List.copyOf(all);
    }
}
