package io.rstream.agent.fake;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP proxy that knows CONNECT to this machine, and keeps the requests that it got. */
public final class FakeProxy implements AutoCloseable {
    public final List<List<String>> requests = new CopyOnWriteArrayList<>();

    private final FakeService service;
    private final String answer;

    private FakeProxy(String answer) throws IOException {
        this.answer = answer;
        this.service = FakeService.start(this::serve);
    }

    public static FakeProxy accepting() throws IOException {
        return new FakeProxy("200 Connection established");
    }

    public static FakeProxy refusing() throws IOException {
        return new FakeProxy("407 Proxy Authentication Required");
    }

    public String url() {
        return "http://127.0.0.1:" + service.port();
    }

    private void serve(Socket client) throws IOException {
        List<String> request = head(client.getInputStream());
        requests.add(request);
        client.getOutputStream().write(("HTTP/1.1 " + answer + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        if (!answer.startsWith("200")) {
            return;
        }
        String authority = request.getFirst().split(" ")[1];
        int colon = authority.lastIndexOf(':');
        try (Socket target =
                new Socket(authority.substring(0, colon), Integer.parseInt(authority.substring(colon + 1)))) {
            Thread back = Thread.ofVirtual().start(() -> copy(target, client));
            copy(client, target);
            back.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // One end is gone, the other will notice.
        }
    }

    /** Reads byte by byte, since what follows the head is not the proxy's. */
    private static List<String> head(InputStream input) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            int octet = input.read();
            if (octet < 0) {
                break;
            }
            text.append((char) octet);
        }
        return new ArrayList<>(text.toString().strip().lines().toList());
    }

    @Override
    public void close() throws IOException {
        service.close();
    }
}
