package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Future;
import io.rstream.protocol.Loopback.Leg;
import io.rstream.protocol.RelayOutcome.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Relays between real sockets; the peers outside are plain blocking sockets of the JDK. */
class ByteRelayIT {
    private static final int MEBIBYTE = 1 << 20;

    /** What the two legs are. Unless it says otherwise, they live on different event loops. */
    enum Wiring {
        PLAIN(false, false, false),
        PLAIN_ON_ONE_LOOP(false, false, true),
        TLS_TO_PLAIN(true, false, false),
        PLAIN_TO_TLS(false, true, false),
        TLS(true, true, false),
        TLS_ON_ONE_LOOP(true, true, true);

        private final boolean firstTls;
        private final boolean secondTls;
        private final boolean oneLoop;

        Wiring(boolean firstTls, boolean secondTls, boolean oneLoop) {
            this.firstTls = firstTls;
            this.secondTls = secondTls;
            this.oneLoop = oneLoop;
        }
    }

    @TempDir
    Path directory;

    private final Loopback loopback = new Loopback();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private SslContext tls;
    private Leg first;
    private Leg second;
    private Future<RelayOutcome> outcome;

    @BeforeEach
    void createContext() throws Exception {
        tls = TransportSecurity.server(
                TestCertificate.ec().in(directory),
                List.of(),
                TransportSecurity.ClientCertificate.NONE,
                TlsVersion.TLS_1_3,
                TransportSecurity.Engine.JDK);
    }

    @AfterEach
    void closeConnections() throws Exception {
        loopback.close();
        threads.close();
    }

    @ParameterizedTest
    @EnumSource
    void carriesBytesBothWaysAtOnceAndEndsInOrder(Wiring wiring) throws Exception {
        join(wiring, RelayLimits.NONE);
        byte[] up = bytes(3 * MEBIBYTE);
        byte[] down = bytes(2 * MEBIBYTE + 1);

        var upSent = threads.submit(() -> sendAll(first.peer(), up));
        var downSent = threads.submit(() -> sendAll(second.peer(), down));
        var upReceived = threads.submit(() -> second.peer().getInputStream().readAllBytes());
        byte[] downReceived = first.peer().getInputStream().readAllBytes();

        assertThat(downReceived).isEqualTo(down);
        assertThat(upReceived.get()).isEqualTo(up);
        upSent.get();
        downSent.get();
        assertThat(result()).isEqualTo(new RelayOutcome(Reason.COMPLETED, up.length, down.length, null));
        assertThat(first.channel().isOpen() || second.channel().isOpen()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void theAnswerToAHalfClosedRequestArrives(Wiring wiring) throws Exception {
        join(wiring, RelayLimits.NONE);

        String answer = askAndAnswer(first.peer(), second.peer());

        assertThat(answer).isEqualTo("you said: all of it");
        assertThat(result().reason()).isEqualTo(Reason.COMPLETED);
    }

    @ParameterizedTest
    @EnumSource
    void theAnswerArrivesInTheOtherDirectionToo(Wiring wiring) throws Exception {
        join(wiring, RelayLimits.NONE);

        String answer = askAndAnswer(second.peer(), first.peer());

        assertThat(answer).isEqualTo("you said: all of it");
        assertThat(result().reason()).isEqualTo(Reason.COMPLETED);
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "PLAIN_ON_ONE_LOOP", "TLS"})
    void aReaderThatWaitsStopsTheWriter(Wiring wiring) throws Exception {
        join(wiring, RelayLimits.NONE);
        long total = 96L * MEBIBYTE;
        AtomicLong sent = new AtomicLong();
        CRC32 expected = new CRC32();
        var sender = threads.submit(() -> sendBlocks(first.peer(), total, sent, expected));

        waitUntilStuck(sent);
        long sentUnread = sent.get();
        long received = checksumOfAll(second.peer());
        second.peer().shutdownOutput();

        sender.get();
        // What the buffers of four sockets take, with room to spare.
        assertThat(sentUnread).isLessThan(48L * MEBIBYTE);
        assertThat(received).isEqualTo(expected.getValue());
        assertThat(result()).isEqualTo(new RelayOutcome(Reason.COMPLETED, total, 0, null));
    }

    /** The JVM of the tests has a small heap and a small limit of direct memory, see the module's pom. */
    @Test
    void carriesOneGibibyteInLittleMemory() throws Exception {
        join(Wiring.PLAIN, RelayLimits.NONE);
        long total = 1L << 30;
        AtomicLong sent = new AtomicLong();
        CRC32 expected = new CRC32();
        var sender = threads.submit(() -> sendBlocks(first.peer(), total, sent, expected));

        waitUntilStuck(sent);
        long received = checksumOfAll(second.peer());
        second.peer().shutdownOutput();

        sender.get();
        assertThat(received).isEqualTo(expected.getValue());
        assertThat(result()).isEqualTo(new RelayOutcome(Reason.COMPLETED, total, 0, null));
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "TLS", "TLS_TO_PLAIN"})
    void aResetOfTheFirstSideClosesTheSecond(Wiring wiring) throws Exception {
        join(wiring, RelayLimits.NONE);
        exchangeOneByte();

        first.reset();

        assertThat(second.peer().getInputStream().read()).isEqualTo(-1);
        assertThat(result().reason()).isEqualTo(Reason.FIRST_ABORTED);
        assertThat(result().cause()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "TLS", "PLAIN_TO_TLS"})
    void aResetOfTheSecondSideClosesTheFirst(Wiring wiring) throws Exception {
        join(wiring, RelayLimits.NONE);
        exchangeOneByte();

        second.reset();

        assertThat(first.peer().getInputStream().read()).isEqualTo(-1);
        assertThat(result().reason()).isEqualTo(Reason.SECOND_ABORTED);
    }

    @Test
    void aResetWhileTheOtherSideIsStuckStillEnds() throws Exception {
        join(Wiring.PLAIN, RelayLimits.NONE);
        var sender = threads.submit(() -> sendBlocks(first.peer(), 96L * MEBIBYTE, new AtomicLong(), new CRC32()));
        await().atMost(Duration.ofSeconds(30)).until(() -> !second.channel().isWritable());

        second.reset();

        assertThat(result().reason()).isEqualTo(Reason.SECOND_ABORTED);
        assertThatThrownBy(sender::get).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void tcpEndWithoutCloseNotifyAbortsAfterDeliveringWhatCame() throws Exception {
        join(Wiring.TLS_TO_PLAIN, RelayLimits.NONE);
        first.peer().getOutputStream().write("half a sent".getBytes(StandardCharsets.US_ASCII));
        assertThat(second.peer().getInputStream().readNBytes(11)).asString().isEqualTo("half a sent");

        first.raw().close();

        assertThat(second.peer().getInputStream().read()).isEqualTo(-1);
        assertThat(result().reason()).isEqualTo(Reason.FIRST_ABORTED);
        assertThat(result().cause()).hasMessageContaining("close_notify");
    }

    @Test
    void aResetAfterCloseNotifyIsNoticedWhileTheOtherSideIsSilent() throws Exception {
        join(Wiring.TLS_TO_PLAIN, RelayLimits.NONE);
        first.peer().getOutputStream().write("all".getBytes(StandardCharsets.US_ASCII));
        first.peer().shutdownOutput();
        assertThat(second.peer().getInputStream().readAllBytes()).asString().isEqualTo("all");

        first.reset();

        assertThat(result().reason()).isEqualTo(Reason.FIRST_ABORTED);
    }

    @Test
    void closesBothWhenNothingArrives() throws Exception {
        join(Wiring.PLAIN, new RelayLimits(Duration.ofMillis(100)));

        assertThat(first.peer().getInputStream().read()).isEqualTo(-1);
        assertThat(second.peer().getInputStream().read()).isEqualTo(-1);

        assertThat(result()).isEqualTo(new RelayOutcome(Reason.IDLE, 0, 0, null));
    }

    @Test
    void joiningAClosedChannelClosesTheOther() throws Exception {
        first = loopback.connect(loopback.loop(), null);
        second = loopback.connect(loopback.loop(), null);
        first.channel().close().sync();

        outcome = ByteRelay.join(first.channel(), second.channel());

        assertThat(second.peer().getInputStream().read()).isEqualTo(-1);
        assertThat(result().reason()).isEqualTo(Reason.FIRST_ABORTED);
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "TLS"})
    void payloadSentWithTheRequestAndItsEndAreNotLost(Wiring wiring) throws Exception {
        connect(wiring);
        Channel dialer = first.channel();
        var asked = dialer.eventLoop().<Message>newPromise();
        Loopback.onLoop(dialer, pipeline -> {
            WirePipeline.install(pipeline);
            pipeline.addLast("handshake", new HoldingHandshake(asked));
            WirePipeline.release(pipeline);
        });
        dialer.read();
        byte[] request = WireGoldens.all().stream()
                .filter(golden -> golden.message() instanceof Message.StreamRequest)
                .findFirst()
                .orElseThrow()
                .bytes();
        byte[] both = java.util.Arrays.copyOf(request, request.length + 5);
        System.arraycopy("early".getBytes(StandardCharsets.US_ASCII), 0, both, request.length, 5);
        first.peer().getOutputStream().write(both);
        first.peer().shutdownOutput();
        assertThat(asked.sync().getNow()).isInstanceOf(Message.StreamRequest.class);

        outcome = ByteRelay.join(dialer, second.channel());

        assertThat(second.peer().getInputStream().readAllBytes()).asString().isEqualTo("early");
        second.peer().getOutputStream().write('!');
        second.peer().shutdownOutput();
        assertThat(first.peer().getInputStream().readAllBytes()).asString().isEqualTo("!");
        assertThat(result()).isEqualTo(new RelayOutcome(Reason.COMPLETED, 5, 1, null));
    }

    private void connect(Wiring wiring) throws Exception {
        EventLoopGroup loop = loopback.loop();
        first = loopback.connect(loop, wiring.firstTls ? tls : null);
        second = loopback.connect(wiring.oneLoop ? loop : loopback.loop(), wiring.secondTls ? tls : null);
    }

    private void join(Wiring wiring, RelayLimits limits) throws Exception {
        connect(wiring);
        outcome = ByteRelay.join(first.channel(), second.channel(), limits);
    }

    private RelayOutcome result() throws Exception {
        return outcome.get(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private void exchangeOneByte() throws IOException {
        first.peer().getOutputStream().write('>');
        assertThat(second.peer().getInputStream().read()).isEqualTo('>');
        second.peer().getOutputStream().write('<');
        assertThat(first.peer().getInputStream().read()).isEqualTo('<');
    }

    /** Until the count has not grown for a while. */
    private static void waitUntilStuck(AtomicLong sent) {
        AtomicLong last = new AtomicLong(-1);
        await().during(Duration.ofMillis(700))
                .atMost(Duration.ofSeconds(60))
                .until(() -> sent.get() > 0 && last.getAndSet(sent.get()) == sent.get());
    }

    private static long checksumOfAll(Socket peer) throws IOException {
        CRC32 checksum = new CRC32();
        byte[] block = new byte[MEBIBYTE];
        InputStream in = peer.getInputStream();
        for (int length = in.read(block); length > 0; length = in.read(block)) {
            checksum.update(block, 0, length);
        }
        return checksum.getValue();
    }

    private String askAndAnswer(Socket asking, Socket answering) throws Exception {
        asking.getOutputStream().write("all of it".getBytes(StandardCharsets.US_ASCII));
        asking.shutdownOutput();
        String heard = new String(answering.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        answering.getOutputStream().write(("you said: " + heard).getBytes(StandardCharsets.US_ASCII));
        answering.shutdownOutput();
        return new String(asking.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    private static Void sendAll(Socket peer, byte[] bytes) throws IOException {
        peer.getOutputStream().write(bytes);
        peer.shutdownOutput();
        return null;
    }

    private static Void sendBlocks(Socket peer, long total, AtomicLong sent, CRC32 checksum) throws IOException {
        byte[] block = bytes(MEBIBYTE);
        OutputStream out = peer.getOutputStream();
        for (long done = 0; done < total; done += block.length) {
            block[(int) (done / MEBIBYTE) % block.length]++;
            checksum.update(block);
            out.write(block);
            sent.addAndGet(block.length);
        }
        peer.shutdownOutput();
        return null;
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
