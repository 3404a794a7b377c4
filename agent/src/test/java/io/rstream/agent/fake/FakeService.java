package io.rstream.agent.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** A TCP server on a port of its own that treats each connection the same way. */
public final class FakeService implements AutoCloseable {
    private final ServerSocket listener;
    private final AtomicInteger accepted = new AtomicInteger();

    /** What is done with a connection; it is closed afterwards. */
    public interface Behaviour {
        void serve(Socket connection) throws IOException;
    }

    private FakeService(ServerSocket listener) {
        this.listener = listener;
    }

    public static FakeService start(Behaviour behaviour) throws IOException {
        FakeService service = new FakeService(new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress()));
        Thread.ofVirtual().start(() -> service.accept(behaviour));
        return service;
    }

    /** Sends everything back; ends its output only after the caller ended his. */
    public static FakeService echo() throws IOException {
        return start(connection -> {
            connection.getInputStream().transferTo(connection.getOutputStream());
            connection.shutdownOutput();
        });
    }

    public int port() {
        return listener.getLocalPort();
    }

    public int accepted() {
        return accepted.get();
    }

    private void accept(Behaviour behaviour) {
        while (!listener.isClosed()) {
            try {
                Socket connection = listener.accept();
                accepted.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(behaviour, connection));
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static void serve(Behaviour behaviour, Socket connection) {
        try (connection) {
            behaviour.serve(connection);
        } catch (IOException e) {
            // The other end went away first; tests look at that end.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
