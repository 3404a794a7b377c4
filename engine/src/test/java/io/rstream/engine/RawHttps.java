package io.rstream.engine;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** An HTTP/1.1 connection to the engine whose every byte the test decides; no ALPN unless asked for. */
public final class RawHttps implements AutoCloseable {
    public final SSLSocket socket;
    private final InputStream in;

    private RawHttps(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    public static RawHttps connect(EngineFixture engine, String sni, String... alpns) throws IOException {
        Socket tcp = new Socket(InetAddress.getLoopbackAddress(), engine.port());
        SSLSocket socket =
                (SSLSocket) engine.sslContext().getSocketFactory().createSocket(tcp, sni, engine.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(sni)));
        if (alpns.length > 0) {
            parameters.setApplicationProtocols(alpns);
        }
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(20_000);
        socket.startHandshake();
        return new RawHttps(socket);
    }

    public RawHttps send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** The head and the body that Content-Length announces. */
    public Response read() throws IOException {
        String head = RawService.readHead(in);
        return new Response(head, text(RawService.contentLength(head)));
    }

    public String head() throws IOException {
        return RawService.readHead(in);
    }

    public String text(int length) throws IOException {
        return new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
    }

    /** What comes until the connection ends in order. */
    public String rest() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    public InputStream in() {
        return in;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** A response as it came. */
    public record Response(String head, String body) {
        public int status() {
            return Integer.parseInt(head.split(" ", -1)[1]);
        }

        public boolean has(String header) {
            return head.toLowerCase(Locale.ROOT).contains("\r\n" + header.toLowerCase(Locale.ROOT) + "\r\n");
        }
    }
}
