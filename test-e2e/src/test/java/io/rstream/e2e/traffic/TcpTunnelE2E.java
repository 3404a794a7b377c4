package io.rstream.e2e.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A published TCP tunnel is a connection like any other (rstream protocol, sections 13 and 17.4). */
@ExtendWith(TrafficExtension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class TcpTunnelE2E {

    @Test
    void letsTheServiceAnswerAfterTheCallerHasFinished(Traffic traffic) throws Exception {
        traffic.tcp().serve(connection -> {
            byte[] question = connection.getInputStream().readAllBytes();
            connection.getOutputStream().write(("answer to " + text(question)).getBytes(StandardCharsets.UTF_8));
        });

        try (RawCaller caller = traffic.dial()) {
            caller.send("question");
            caller.shutdownOutput();

            assertThat(caller.readToEnd()).isEqualTo("answer to question");
        }
    }

    @Test
    void letsTheCallerGoOnAfterTheServiceHasFinished(Traffic traffic) throws Exception {
        LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
        traffic.tcp().serve(connection -> {
            connection.getOutputStream().write("only this".getBytes(StandardCharsets.UTF_8));
            connection.shutdownOutput();
            received.add(text(connection.getInputStream().readAllBytes()));
        });

        try (RawCaller caller = traffic.dial()) {
            String greeting = caller.readToEnd();
            caller.send("still ");
            caller.send("talking");
            caller.shutdownOutput();

            assertThat(greeting).isEqualTo("only this");
            assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo("still talking");
        }
    }

    @Test
    void deliversTheFirstBytesOfAServiceThatSpeaksFirst(Traffic traffic) throws Exception {
        traffic.tcp().serve(connection -> {
            connection.getOutputStream().write("220 ready\r\n".getBytes(StandardCharsets.UTF_8));
            connection.getInputStream().read();
        });

        try (RawCaller caller = traffic.dial()) {
            assertThat(caller.readText(11)).isEqualTo("220 ready\r\n");
        }
    }

    @Test
    void tellsTheServiceWhenTheCallerIsGone(Traffic traffic) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        traffic.tcp().serve(connection -> {
            connection.getOutputStream().write('!');
            try {
                connection.getInputStream().readAllBytes();
            } catch (IOException reset) {
                // Gone in either way.
            }
            ended.countDown();
        });

        try (RawCaller caller = traffic.dial()) {
            caller.readText(1);
            caller.socket().setSoLinger(true, 0);
        }

        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void tellsTheCallerWhenTheServiceBreaksOff(Traffic traffic) throws Exception {
        traffic.tcp().serve(connection -> {
            connection.getInputStream().read();
            connection.setSoLinger(true, 0);
        });

        try (RawCaller caller = traffic.dial()) {
            caller.send("x");

            assertThatThrownBy(() -> {
                        InputStream in = caller.in();
                        if (in.read() < 0) {
                            throw new IOException("ended");
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(java.net.SocketTimeoutException.class);
        }
    }

    @Test
    void carriesTwoHundredConnectionsAtOnce(Traffic traffic) throws Exception {
        int count = 200;
        CountDownLatch all = new CountDownLatch(count);
        traffic.tcp().serve(connection -> {
            byte[] line = connection.getInputStream().readNBytes(8);
            all.countDown();
            all.await();
            connection.getOutputStream().write(line);
        });

        List<RawCaller> callers = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                RawCaller caller = traffic.dial();
                callers.add(caller);
                caller.send("call%04d".formatted(i));
            }
            for (int i = 0; i < count; i++) {
                assertThat(callers.get(i).readToEnd()).isEqualTo("call%04d".formatted(i));
            }
        } finally {
            for (RawCaller caller : callers) {
                caller.close();
            }
        }
        await().until(() -> traffic.tcp().open() == 0);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
