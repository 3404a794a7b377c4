package io.rstream.e2e.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Long-lived exchanges in small pieces: server-sent events and WebSocket. */
@ExtendWith(TrafficExtension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class StreamingE2E {

    @Test
    void deliversEachEventBeforeTheNextIsSent(Traffic traffic) throws Exception {
        Semaphore next = new Semaphore(0);
        traffic.http().on("events", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 20; i++) {
                exchange.sendChunk("data: event %02d\n\n".formatted(i));
                assertThat(next.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            }
            exchange.send("0\r\n\r\n");
        });

        try (RawCaller caller = traffic.call()) {
            caller.send(
                    "GET /events HTTP/1.1\r\nHost: " + traffic.authority() + "\r\nAccept: text/event-stream\r\n\r\n");
            HttpHead head = caller.readHead();
            assertThat(head.field("Content-Type")).hasValue("text/event-stream");
            for (int i = 0; i < 20; i++) {
                String event = new String(HttpHead.readChunk(caller.in()), StandardCharsets.UTF_8);
                assertThat(event).isEqualTo("data: event %02d\n\n".formatted(i));
                next.release();
            }
            assertThat(HttpHead.readChunk(caller.in())).isEmpty();
        }
    }

    @Test
    void deliversTheHeadBeforeTheFirstByteOfTheBody(Traffic traffic) throws Exception {
        Semaphore next = new Semaphore(0);
        traffic.http().on("late-body", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
            assertThat(next.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            exchange.send("late");
        });

        try (RawCaller caller = traffic.call()) {
            caller.send("GET /late-body HTTP/1.1\r\nHost: " + traffic.authority() + "\r\n\r\n");
            HttpHead head = caller.readHead();
            next.release();

            assertThat(head.startLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(caller.readText(4)).isEqualTo("late");
        }
    }

    @Test
    void tellsTheServiceWhenAnEventReaderGoesAway(Traffic traffic) throws Exception {
        LinkedBlockingQueue<String> ends = new LinkedBlockingQueue<>();
        traffic.http().on("endless", exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            exchange.sendChunk("data: first\n\n");
            try {
                ends.add(exchange.in().read() < 0 ? "end" : "data");
            } catch (java.io.IOException reset) {
                ends.add("reset");
            }
            exchange.close();
        });

        try (RawCaller caller = traffic.call()) {
            caller.send("GET /endless HTTP/1.1\r\nHost: " + traffic.authority() + "\r\n\r\n");
            caller.readHead();
            HttpHead.readChunk(caller.in());
        }

        assertThat(ends.poll(30, TimeUnit.SECONDS)).isIn("end", "reset");
    }

    @Test
    void echoesTextBinaryAndPingsOverAWebSocket(Traffic traffic) throws Exception {
        traffic.http().on("socket", StreamingE2E::echoWebSocket);
        Listener listener = new Listener();
        byte[] large = new byte[1 << 20];
        new Random(1).nextBytes(large);

        try (HttpClient client = traffic.client(HttpClient.Version.HTTP_1_1)) {
            WebSocket socket = client.newWebSocketBuilder()
                    .subprotocols("echo")
                    .buildAsync(URI.create("wss://" + traffic.authority() + "/socket"), listener)
                    .get(30, TimeUnit.SECONDS);
            assertThat(socket.getSubprotocol()).isEqualTo("echo");

            socket.sendText("grüße", true).get(30, TimeUnit.SECONDS);
            assertThat(listener.next()).isEqualTo("text grüße");
            socket.sendPing(ByteBuffer.wrap("p".getBytes(StandardCharsets.UTF_8)))
                    .get(30, TimeUnit.SECONDS);
            assertThat(listener.next()).isEqualTo("pong p");
            socket.sendBinary(ByteBuffer.wrap(large), true).get(30, TimeUnit.SECONDS);
            assertThat(listener.next()).isEqualTo("binary " + java.util.Arrays.hashCode(large));
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "done").get(30, TimeUnit.SECONDS);
            assertThat(listener.next()).isEqualTo("close 1000 done");
        }
    }

    @Test
    void leavesTheAnswerOfAServiceThatRefusesTheUpgradeAsItIs(Traffic traffic) throws Exception {
        traffic.http()
                .on(
                        "no-socket",
                        exchange -> exchange.send(
                                "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 5\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nother"));

        try (RawCaller caller = traffic.call()) {
            caller.send("GET /no-socket HTTP/1.1\r\nHost: " + traffic.authority()
                    + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
            RawCaller.Answer answer = caller.readAnswer();
            caller.send("GET /ping HTTP/1.1\r\nHost: " + traffic.authority() + "\r\n\r\n");

            assertThat(answer.status()).isEqualTo(426);
            assertThat(answer.body()).isEqualTo("other");
            assertThat(caller.readAnswer().body()).isEqualTo("pong");
        }
    }

    /** The server's half of RFC 6455 as far as an echo needs it. */
    private static void echoWebSocket(RawBackend.Exchange exchange) throws Exception {
        String key = exchange.head().field("Sec-WebSocket-Key").orElseThrow() + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        String accept = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-1").digest(key.getBytes(StandardCharsets.US_ASCII)));
        exchange.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Protocol: echo\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n");
        exchange.close();
        DataInputStream in = new DataInputStream(exchange.in());
        int opcode = 0;
        while (opcode != 8) {
            int first = in.readUnsignedByte();
            byte[] content = readMasked(in);
            opcode = first & 0x0F;
            int answer = opcode == 9 ? 10 : opcode;
            writeFrame(exchange.out(), (first & 0x80) | answer, content);
        }
    }

    private static byte[] readMasked(DataInputStream in) throws java.io.IOException {
        int length = in.readUnsignedByte() & 0x7F;
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = Math.toIntExact(in.readLong());
        }
        byte[] mask = in.readNBytes(4);
        byte[] content = in.readNBytes(length);
        for (int i = 0; i < length; i++) {
            content[i] ^= mask[i % 4];
        }
        return content;
    }

    private static void writeFrame(OutputStream out, int first, byte[] content) throws java.io.IOException {
        ByteBuffer head = ByteBuffer.allocate(10).put((byte) first);
        if (content.length < 126) {
            head.put((byte) content.length);
        } else if (content.length < 1 << 16) {
            head.put((byte) 126).putShort((short) content.length);
        } else {
            head.put((byte) 127).putLong(content.length);
        }
        out.write(head.array(), 0, head.position());
        out.write(content);
        out.flush();
    }

    /** Collects whole messages. */
    private static final class Listener implements WebSocket.Listener {
        private final LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();
        private final java.io.ByteArrayOutputStream binary = new java.io.ByteArrayOutputStream();

        String next() throws InterruptedException {
            return messages.poll(30, TimeUnit.SECONDS);
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                messages.add("text " + text);
                text.setLength(0);
            }
            return proceed(socket);
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            binary.writeBytes(bytes);
            if (last) {
                messages.add("binary " + java.util.Arrays.hashCode(binary.toByteArray()));
                binary.reset();
            }
            return proceed(socket);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer data) {
            messages.add("pong " + StandardCharsets.UTF_8.decode(data));
            return proceed(socket);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            messages.add("close " + status + " " + reason);
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            messages.add("error " + error);
        }

        private static CompletionStage<?> proceed(WebSocket socket) {
            socket.request(1);
            return CompletableFuture.completedStage(null);
        }
    }
}
