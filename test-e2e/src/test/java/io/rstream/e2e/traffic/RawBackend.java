package io.rstream.e2e.traffic;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An HTTP/1.1 service that writes exactly the bytes that a test wants. Requests are told apart by the first segment of their
 * path, so that tests with connections of their own, or with those of an earlier test, do not disturb each other.
 */
public final class RawBackend implements AutoCloseable {

    /** Answers one request. */
    @FunctionalInterface
    public interface Handler {
        void handle(Exchange exchange) throws Exception;
    }

    /** One request and the connection that it came on. */
    public static final class Exchange {
        private final HttpHead head;
        private final Socket socket;
        private final InputStream in;
        private final int connection;
        private boolean last;

        private Exchange(HttpHead head, Socket socket, InputStream in, int connection) {
            this.head = head;
            this.socket = socket;
            this.in = in;
            this.connection = connection;
        }

        public HttpHead head() {
            return head;
        }

        /** Second word of the request line. */
        public String target() {
            return head.startLine().split(" ")[1];
        }

        /** What comes after the head. */
        public InputStream in() {
            return in;
        }

        public OutputStream out() throws IOException {
            return socket.getOutputStream();
        }

        public Socket socket() {
            return socket;
        }

        /** A number for the connection, 1 for the first. */
        public int connection() {
            return connection;
        }

        public byte[] readBody() throws IOException {
            return head.readBody(in);
        }

        /** Writes text as it is and flushes. */
        public void send(String text) throws IOException {
            out().write(text.getBytes(StandardCharsets.ISO_8859_1));
            out().flush();
        }

        /** A response of status 200 with a length; {@code fields} are whole lines, each with its CRLF. */
        public void respond(String fields, String body) throws IOException {
            int length = body.getBytes(StandardCharsets.ISO_8859_1).length;
            send("HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + length + "\r\n\r\n" + body);
        }

        public void respond(String body) throws IOException {
            respond("", body);
        }

        public void sendChunk(String content) throws IOException {
            send(Integer.toHexString(content.length()) + "\r\n" + content + "\r\n");
        }

        /** The connection ends after this exchange. */
        public void close() {
            last = true;
        }
    }

    private final Map<String, Handler> handlers = new ConcurrentHashMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final SocketServer server;

    private RawBackend(InetSocketAddress address) throws IOException {
        server = SocketServer.start(address, this::serve);
    }

    /** Listens on a loopback port; {@code /ping} answers {@code pong} from the start. */
    public static RawBackend start() throws IOException {
        return start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Listens on an address; {@code /ping} answers {@code pong} from the start. */
    public static RawBackend start(InetSocketAddress address) throws IOException {
        RawBackend backend = new RawBackend(address);
        backend.on("ping", exchange -> exchange.respond("pong"));
        return backend;
    }

    /** Requests whose path starts with this segment are answered like this. */
    public void on(String segment, Handler handler) {
        handlers.put(segment, handler);
    }

    public int port() {
        return server.port();
    }

    /** How many connections there were. */
    public int connections() {
        return connections.get();
    }

    /** How many connections there are. */
    public int open() {
        return server.open();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void serve(Socket socket) throws Exception {
        int connection = connections.incrementAndGet();
        InputStream in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
        for (Optional<HttpHead> head = HttpHead.read(in); head.isPresent(); head = HttpHead.read(in)) {
            Exchange exchange = new Exchange(head.get(), socket, in, connection);
            String segment = exchange.target().split("[/?]", 3)[1];
            Handler handler = handlers.get(segment);
            if (handler == null) {
                exchange.send("HTTP/1.1 500 Nobody\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
                return;
            }
            handler.handle(exchange);
            if (exchange.last) {
                return;
            }
        }
    }
}
