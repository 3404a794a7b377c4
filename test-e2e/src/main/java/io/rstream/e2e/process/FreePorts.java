package io.rstream.e2e.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** A run of neighbouring ports that nobody listens on, for the engine's range of published TCP tunnels. */
public final class FreePorts {
    /** Below the range from which operating systems take their ephemeral ports. */
    private static final int LOWEST = 15_000;

    private static final int HIGHEST = 31_000;
    private static final int ATTEMPTS = 200;

    private FreePorts() {}

    /** The first port of such a run on the loopback address. */
    public static int run(int length) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST - length);
            if (allFree(first, length)) {
                return first;
            }
        }
        throw new IllegalStateException(
                "no %d neighbouring ports are free between %d and %d".formatted(length, LOWEST, HIGHEST));
    }

    private static boolean allFree(int first, int length) {
        for (int port = first; port < first + length; port++) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException taken) {
                return false;
            }
        }
        return true;
    }
}
