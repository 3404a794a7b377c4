package io.rstream.e2e.traffic;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A service behind a TCP tunnel: the handler of the moment gets each connection on a virtual thread. */
public final class SocketServer implements AutoCloseable {

    /** What is done with one connection, which is closed afterwards. */
    @FunctionalInterface
    public interface Handler {
        void handle(Socket connection) throws Exception;
    }

    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile Handler handler;

    private SocketServer(ServerSocket listener, Handler handler) {
        this.listener = listener;
        this.handler = handler;
    }

    /** Listens on a loopback port that the system chooses. */
    public static SocketServer start(Handler handler) throws IOException {
        return start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), handler);
    }

    /** Listens on an address. */
    public static SocketServer start(InetSocketAddress address, Handler handler) throws IOException {
        ServerSocket listener = new ServerSocket(address.getPort(), 1_024, address.getAddress());
        SocketServer server = new SocketServer(listener, handler);
        Thread.ofVirtual().name("backend-accept").start(server::acceptAll);
        return server;
    }

    /** From now on connections are handled like this. */
    public void serve(Handler next) {
        handler = next;
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** How many connections there were. */
    public int accepted() {
        return accepted.get();
    }

    /** How many connections there are. */
    public int open() {
        return open.size();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket connection : open) {
            connection.close();
        }
    }

    private void acceptAll() {
        while (true) {
            Socket connection;
            try {
                connection = listener.accept();
            } catch (IOException closed) {
                return;
            }
            accepted.incrementAndGet();
            open.add(connection);
            Handler current = handler;
            Thread.ofVirtual().name("backend").start(() -> handle(connection, current));
        }
    }

    private void handle(Socket connection, Handler current) {
        try (connection) {
            connection.setTcpNoDelay(true);
            current.handle(connection);
        } catch (SocketException cut) {
            // The caller or the test ended the connection; what that means is asserted on the other side.
        } catch (Exception failure) {
            throw new IllegalStateException("the service behind the tunnel failed", failure);
        } finally {
            open.remove(connection);
        }
    }
}
