package io.rstream.e2e.bench;

import io.rstream.e2e.process.AgentProcess;
import io.rstream.e2e.process.AgentSettings;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.e2e.process.EngineSettings;
import io.rstream.e2e.process.JavaProcess;
import io.rstream.e2e.process.JvmFlags;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * Prints what agent and engine need: resident memory idle and with 1,000 idle connections, and the throughput of a published
 * TCP tunnel as a ratio to a direct loopback connection. Figures, not thresholds: they depend on the machine, so its cores are
 * printed with them.
 */
public final class Benchmark {
    private static final Duration ONLINE = Duration.ofSeconds(90);
    private static final Duration SETTLE = Duration.ofSeconds(5);
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration DIRECT = Duration.ofSeconds(2);
    private static final Duration TUNNEL = Duration.ofSeconds(4);
    private static final int ROUNDS = 3;
    private static final int IDLE_CONNECTIONS = 1_000;
    private static final int AT_ONCE = 20;
    private static final List<Integer> CONNECTIONS = List.of(1, 16);
    private static final double MEBIBYTE = 1 << 20;

    private final PrintStream out;
    private final long begin = System.nanoTime();

    private Benchmark(PrintStream out) {
        this.out = out;
    }

    private record Memory(OptionalLong agent, OptionalLong engine) {}

    private record Speed(int connections, double direct, double tunnel) {}

    /** Runs for about a minute and a half. */
    public static void main(String[] arguments) throws IOException, GeneralSecurityException, InterruptedException {
        Path folder = Files.createTempDirectory("rstream-bench");
        try {
            new Benchmark(System.out).run(folder);
        } finally {
            try (var files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private void run(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        progress("starting engine and agent");
        try (Source source = Source.start();
                EngineProcess engine = EngineProcess.start(EngineSettings.in(folder));
                AgentProcess agent = AgentProcess.start(AgentSettings.of(
                        folder, engine, AgentProcess.config(engine, "bench", "tcp", source.port()), engine.token()))) {
            String address = agent.awaitOnline(ONLINE);
            int tunnelPort = Integer.parseInt(address.replaceFirst(".*:(\\d+).*", "$1"));
            progress("tunnel is online at " + address);
            Memory idle = memory(agent.process(), engine.process());
            Memory busy = memoryWithIdleConnections(tunnelPort, agent.process(), engine.process());
            List<Speed> speeds = new ArrayList<>();
            for (int connections : CONNECTIONS) {
                speeds.add(speed(connections, source.port(), tunnelPort));
            }
            Memory after = memory(agent.process(), engine.process());
            print(idle, busy, after, speeds);
        }
    }

    private Memory memory(JavaProcess agent, JavaProcess engine) throws InterruptedException {
        Thread.sleep(SETTLE);
        return new Memory(ResidentMemory.of(agent.pid()), ResidentMemory.of(engine.pid()));
    }

    private Memory memoryWithIdleConnections(int port, JavaProcess agent, JavaProcess engine)
            throws IOException, InterruptedException {
        progress("opening %,d idle connections".formatted(IDLE_CONNECTIONS));
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int opened = 0; opened < IDLE_CONNECTIONS; opened += AT_ONCE) {
                List<Socket> group = new ArrayList<>();
                for (int i = 0; i < AT_ONCE; i++) {
                    group.add(Throughput.connect(port, Source.IDLE));
                }
                sockets.addAll(group);
                for (Socket socket : group) {
                    if (socket.getInputStream().read() != Source.IDLE) {
                        throw new IOException("one of the first %d connections was not carried; agent:%n%sengine:%n%s"
                                .formatted(
                                        sockets.size(),
                                        agent.log().newest(),
                                        engine.log().newest()));
                    }
                }
            }
            return memory(agent, engine);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private Speed speed(int connections, int directPort, int tunnelPort) throws IOException, InterruptedException {
        progress("measuring throughput with %d %s"
                .formatted(connections, connections == 1 ? "connection" : "connections"));
        Throughput.measure(directPort, connections, DIRECT);
        Throughput.measure(tunnelPort, connections, WARM_UP);
        double[] direct = new double[ROUNDS];
        double[] tunnel = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            direct[round] = Throughput.measure(directPort, connections, DIRECT);
            tunnel[round] = Throughput.measure(tunnelPort, connections, TUNNEL);
        }
        return new Speed(connections, median(direct), median(tunnel));
    }

    private void print(Memory idle, Memory busy, Memory after, List<Speed> speeds) {
        progress("done");
        out.printf(
                "%nMachine: %d cores, %s %s, Java %s%n",
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Runtime.version());
        out.printf("Agent:   %s%nEngine:  %s%n", String.join(" ", JvmFlags.AGENT), String.join(" ", JvmFlags.ENGINE));
        out.printf("%n%-40s %12s %12s%n", "Resident memory, MiB", "agent", "engine");
        row("idle", idle.agent(), idle.engine());
        row("with %,d idle connections".formatted(IDLE_CONNECTIONS), busy.agent(), busy.engine());
        row(
                "difference, per 1,000 connections",
                difference(busy.agent(), idle.agent()),
                difference(busy.engine(), idle.engine()));
        row("after the throughput runs", after.agent(), after.engine());
        out.printf("%n%-40s %12s %12s %12s%n", "Throughput, service to caller, MiB/s", "direct", "tunnel", "ratio");
        for (Speed speed : speeds) {
            String name = speed.connections() == 1 ? "1 connection" : speed.connections() + " connections";
            out.printf(
                    "%-40s %12.0f %12.0f %12.3f%n",
                    name, speed.direct() / MEBIBYTE, speed.tunnel() / MEBIBYTE, speed.tunnel() / speed.direct());
        }
    }

    private void row(String name, OptionalLong agent, OptionalLong engine) {
        out.printf("%-40s %12s %12s%n", name, mebibytes(agent), mebibytes(engine));
    }

    private static String mebibytes(OptionalLong bytes) {
        return bytes.isPresent() ? "%.1f".formatted(bytes.getAsLong() / MEBIBYTE) : "not available";
    }

    private static OptionalLong difference(OptionalLong more, OptionalLong less) {
        return more.isPresent() && less.isPresent()
                ? OptionalLong.of(more.getAsLong() - less.getAsLong())
                : OptionalLong.empty();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private void progress(String step) {
        out.printf("%6.1f s  %s%n", (System.nanoTime() - begin) / 1e9, step);
        out.flush();
    }
}
