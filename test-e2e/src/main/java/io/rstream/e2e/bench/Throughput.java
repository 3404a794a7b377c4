package io.rstream.e2e.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Bytes a second that callers get from a {@link Source}, directly or through a tunnel. */
final class Throughput {
    private static final int BUFFER = 64 * 1_024;
    private static final int PATIENCE_MILLIS = 30_000;

    private Throughput() {}

    /** Connects to a loopback port and says what for. */
    static Socket connect(int port, int purpose) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.getOutputStream().write(purpose);
        return socket;
    }

    /**
     * Reads from several connections at once; what comes before every one of them has delivered does not count.
     *
     * @return bytes a second, all connections together
     */
    static double measure(int port, int connections, Duration time) throws IOException, InterruptedException {
        LongAdder received = new LongAdder();
        List<Socket> sockets = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                sockets.add(connect(port, Source.FLOOD));
            }
            for (Socket socket : sockets) {
                if (socket.getInputStream().read() < 0) {
                    throw new IOException("the connection ended at once");
                }
                readers.add(Thread.ofPlatform().daemon().start(() -> readAll(socket, received)));
            }
            long begin = System.nanoTime();
            long before = received.sum();
            Thread.sleep(time);
            long bytes = received.sum() - before;
            return bytes * 1e9 / (System.nanoTime() - begin);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
            for (Thread reader : readers) {
                reader.join();
            }
        }
    }

    private static void readAll(Socket socket, LongAdder received) {
        byte[] buffer = new byte[BUFFER];
        try {
            for (int count = 0; count >= 0; count = socket.getInputStream().read(buffer)) {
                received.add(count);
            }
        } catch (IOException closed) {
            // The measurement is over.
        }
    }
}
