package io.rstream.e2e.process;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How {@link EngineProcess} runs its engine. Everything listens on the loopback address.
 *
 * @param folder for configuration, certificates, secret and log; must exist
 * @param jvmFlags flags of the JVM, {@link JvmFlags#ENGINE} by default
 * @param listenPort the public port, 0 for one that the system chooses
 * @param firstTcpPort where the ports of published TCP tunnels begin, 0 for a free run
 * @param tcpPorts how many ports published TCP tunnels may have
 * @param timeouts keys and values of the section {@code timeouts}
 * @param limits keys and values of the section {@code limits}
 */
public record EngineSettings(
        Path folder,
        List<String> jvmFlags,
        int listenPort,
        int firstTcpPort,
        int tcpPorts,
        Map<String, String> timeouts,
        Map<String, String> limits) {

    private static final int TCP_PORTS = 32;

    /** Copies the collections. */
    public EngineSettings {
        jvmFlags = List.copyOf(jvmFlags);
        timeouts = Map.copyOf(timeouts);
        limits = Map.copyOf(limits);
    }

    /** The defaults: the flags of the image, a port that the system chooses, 32 TCP ports, 5 s for streams at the end. */
    public static EngineSettings in(Path folder) {
        return new EngineSettings(folder, JvmFlags.ENGINE, 0, 0, TCP_PORTS, Map.of("drain", "5s"), Map.of());
    }

    /** The same settings with other JVM flags. */
    public EngineSettings withJvmFlags(List<String> flags) {
        return new EngineSettings(folder, flags, listenPort, firstTcpPort, tcpPorts, timeouts, limits);
    }

    /** The same settings with a fixed public port. */
    public EngineSettings withListenPort(int port) {
        return new EngineSettings(folder, jvmFlags, port, firstTcpPort, tcpPorts, timeouts, limits);
    }

    /** The same settings with a fixed range for published TCP tunnels. */
    public EngineSettings withTcpPorts(int first, int count) {
        return new EngineSettings(folder, jvmFlags, listenPort, first, count, timeouts, limits);
    }

    /** The same settings with one more time-out, such as {@code streamRequest}, {@code 2s}. */
    public EngineSettings withTimeout(String key, String value) {
        return new EngineSettings(
                folder, jvmFlags, listenPort, firstTcpPort, tcpPorts, with(timeouts, key, value), limits);
    }

    /** The same settings with one more limit, such as {@code sessions}, {@code 2}. */
    public EngineSettings withLimit(String key, int value) {
        return new EngineSettings(
                folder,
                jvmFlags,
                listenPort,
                firstTcpPort,
                tcpPorts,
                timeouts,
                with(limits, key, String.valueOf(value)));
    }

    private static Map<String, String> with(Map<String, String> map, String key, String value) {
        Map<String, String> more = new HashMap<>(map);
        more.put(key, value);
        return more;
    }
}
