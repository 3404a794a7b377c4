package io.rstream.engine;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A TCP service on loopback whose every byte the test decides. */
public final class RawService implements AutoCloseable {
    /** What one connection does; the socket is closed afterwards. */
    public interface Script {
        void run(Connection connection) throws IOException;
    }

    /** The service's side of one connection. */
    public static final class Connection {
        public final Socket socket;
        private final InputStream in;
        private final OutputStream out;

        Connection(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new BufferedInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
        }

        /** Everything up to the empty line, or "" at the end of the connection. */
        public String head() throws IOException {
            return readHead(in);
        }

        public String text(int length) throws IOException {
            return new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
        }

        public String rest() throws IOException {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }

        public InputStream in() {
            return in;
        }

        public OutputStream out() {
            return out;
        }

        public void write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }
    }

    private final ServerSocket server;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    /** All heads read by {@link #answering}. */
    public final List<String> heads = new CopyOnWriteArrayList<>();

    private RawService(ServerSocket server) {
        this.server = server;
    }

    public static RawService start(Script script) {
        try {
            RawService service = new RawService(new ServerSocket(0, 512, InetAddress.getLoopbackAddress()));
            Thread.ofVirtual().start(() -> service.accept(script));
            return service;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Keep-alive: the same answer to every request, whose body must be as long as Content-Length says. */
    public static RawService answering(String response) {
        RawService[] self = new RawService[1];
        self[0] = start(connection -> {
            for (String head = connection.head(); !head.isEmpty(); head = connection.head()) {
                self[0].heads.add(head);
                connection.text(contentLength(head));
                connection.write(response);
            }
        });
        return self[0];
    }

    public static RawService ok(String body) {
        return answering("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Cuts what is connected. */
    public void dropAll() {
        for (Socket socket : open) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        open.clear();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        dropAll();
    }

    static String readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        return head.toString();
    }

    static int contentLength(String head) {
        for (String line : head.split("\r\n", -1)) {
            if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                return Integer.parseInt(line.substring(15).strip());
            }
        }
        return 0;
    }

    private void accept(Script script) {
        while (!server.isClosed()) {
            Socket socket;
            try {
                socket = server.accept();
            } catch (IOException closed) {
                return;
            }
            open.add(socket);
            Thread.ofVirtual().start(() -> {
                try (socket) {
                    script.run(new Connection(socket));
                } catch (IOException e) {
                    // The test ended the connection.
                }
            });
        }
    }
}
