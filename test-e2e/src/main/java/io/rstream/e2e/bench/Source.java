package io.rstream.e2e.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The service behind the tunnel. The first byte of a connection says what it is for: {@code f} is answered with bytes until
 * the caller goes, {@code i} is answered with one byte and then nothing.
 */
final class Source implements AutoCloseable {
    static final int FLOOD = 'f';
    static final int IDLE = 'i';

    private static final int BACKLOG = 1_024;
    private static final int PIECE = 64 * 1_024;

    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private Source(ServerSocket listener) {
        this.listener = listener;
    }

    /** Listens on a loopback port that the system chooses. */
    static Source start() throws IOException {
        Source source = new Source(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()));
        Thread.ofVirtual().start(source::acceptAll);
        return source;
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = listener.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The benchmark is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            int purpose = socket.getInputStream().read();
            if (purpose == IDLE) {
                socket.getOutputStream().write(IDLE);
                socket.getInputStream().read();
            }
            byte[] piece = new byte[PIECE];
            while (purpose == FLOOD) {
                socket.getOutputStream().write(piece);
            }
        } catch (IOException callerGone) {
            // How every measurement ends.
        } finally {
            open.remove(socket);
        }
    }
}
