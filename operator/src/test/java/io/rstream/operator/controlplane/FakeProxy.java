package io.rstream.operator.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A proxy that tunnels every CONNECT to one port of this machine, and keeps the heads that it got. */
final class FakeProxy implements AutoCloseable {

    final List<String> heads = new CopyOnWriteArrayList<>();

    private final ServerSocket server;
    private final int target;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private FakeProxy(int target) throws IOException {
        this.target = target;
        this.server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    static FakeProxy before(int target) throws IOException {
        return new FakeProxy(target);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                var client = server.accept();
                threads.execute(() -> serve(client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket client) {
        try (client;
                var service = new Socket(InetAddress.getLoopbackAddress(), target)) {
            heads.add(head(client.getInputStream()));
            client.getOutputStream()
                    .write("HTTP/1.1 200 Connection established\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            var back = threads.submit(() -> service.getInputStream().transferTo(client.getOutputStream()));
            client.getInputStream().transferTo(service.getOutputStream());
            service.shutdownOutput();
            back.get();
        } catch (Exception broken) {
            // One end is gone; the other notices.
        }
    }

    /** Reads byte by byte, since what follows the head is not the proxy's. */
    private static String head(InputStream input) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            var octet = input.read();
            if (octet < 0) {
                break;
            }
            text.append((char) octet);
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        server.close();
    }
}
