package io.rstream.e2e.traffic;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A public caller that writes and reads exact bytes. No wait of it lasts longer than half a minute. */
public final class RawCaller implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;
    private final InputStream in;

    private RawCaller(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
    }

    /** A plain connection to a loopback port. */
    public static RawCaller plain(int port) throws IOException {
        return new RawCaller(connect(port));
    }

    /** A TLS connection to a loopback port under a name that offers these ALPN names, if any. */
    public static RawCaller tls(int port, SSLContext context, String name, String... alpn) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(connect(port), name, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(name)));
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(alpn);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return new RawCaller(socket);
    }

    public void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public void send(byte[] bytes) throws IOException {
        out().write(bytes);
        out().flush();
    }

    public void sendChunk(String content) throws IOException {
        send(Integer.toHexString(content.length()) + "\r\n" + content + "\r\n");
    }

    public InputStream in() {
        return in;
    }

    public OutputStream out() throws IOException {
        return socket.getOutputStream();
    }

    public HttpHead readHead() throws IOException {
        return HttpHead.read(in).orElseThrow(() -> new IOException("the connection ended instead of an answer"));
    }

    /** Head and body of an answer that has a length or comes in chunks. */
    public Answer readAnswer() throws IOException {
        HttpHead head = readHead();
        return new Answer(head, new String(head.readBody(in), StandardCharsets.ISO_8859_1));
    }

    public String readText(int length) throws IOException {
        return new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
    }

    public String readToEnd() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Ends our direction: FIN, or close_notify under TLS. */
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    public Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** An answer as a whole. */
    public record Answer(HttpHead head, String body) {
        public String statusLine() {
            return head.startLine();
        }

        public int status() {
            return Integer.parseInt(head.startLine().split(" ")[1]);
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
    }
}
