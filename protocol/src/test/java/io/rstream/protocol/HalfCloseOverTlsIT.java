package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.rstream.protocol.HalfClose.InputEnd;
import io.rstream.protocol.Loopback.Leg;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each TLS implementation does with half-close; the findings behind docs/decisions/0003. */
class HalfCloseOverTlsIT {
    private static final String REQUEST = "everything I have to say";

    @TempDir
    Path directory;

    private final Loopback loopback = new Loopback();
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    private CertificateFiles certificate;

    @BeforeEach
    void createCertificate() {
        certificate = TestCertificate.ec().in(directory);
    }

    @AfterEach
    void closeConnections() throws Exception {
        loopback.close();
    }

    @Test
    void jdkAnswersInFullAfterTheCloseNotifyOfThePeer() throws Exception {
        Leg leg = listening(TransportSecurity.Engine.JDK);
        byte[] answer = bytes(4 << 20);

        sayEverything(leg);
        var written = leg.channel().writeAndFlush(Unpooled.wrappedBuffer(answer));
        var ended = HalfClose.shutdownOutput(leg.channel());

        assertThat(leg.peer().getInputStream().readAllBytes()).isEqualTo(answer);
        assertThat(written.isSuccess()).isTrue();
        assertThat(ended.await().isSuccess()).isTrue();
    }

    @Test
    void openSslEndsBothDirectionsAtTheCloseNotifyOfThePeer() throws Exception {
        assumeThat(OpenSsl.isAvailable()).isTrue();
        Leg leg = listening(TransportSecurity.Engine.OPENSSL_IF_AVAILABLE);

        sayEverything(leg);
        var answer =
                leg.channel().writeAndFlush(Unpooled.wrappedBuffer(bytes(100))).await();

        assertThat(answer.isSuccess()).isFalse();
    }

    @Test
    void jdkDeliversTheRestAfterWeSentCloseNotify() throws Exception {
        Leg leg = listening(TransportSecurity.Engine.JDK);
        byte[] rest = bytes(1 << 20);

        HalfClose.shutdownOutput(leg.channel()).sync();
        assertThat(leg.peer().getInputStream().read()).isEqualTo(-1);
        leg.peer().getOutputStream().write(rest);
        leg.peer().shutdownOutput();

        assertThat(received(leg.channel(), rest.length)).isEqualTo(rest);
        assertThat(nextEvent(leg.channel())).isEqualTo(InputEnd.ORDERLY);
    }

    @Test
    void openSslReportsTheEndOfTheInputBeforeTheRestAfterWeSentCloseNotify() throws Exception {
        assumeThat(OpenSsl.isAvailable()).isTrue();
        Leg leg = listening(TransportSecurity.Engine.OPENSSL_IF_AVAILABLE);

        HalfClose.shutdownOutput(leg.channel()).sync();
        assertThat(leg.peer().getInputStream().read()).isEqualTo(-1);
        leg.peer().getOutputStream().write(bytes(1 << 20));

        assertThat(nextEvent(leg.channel())).isEqualTo(InputEnd.ORDERLY);
    }

    @ParameterizedTest
    @EnumSource
    void closeNotifyAloneLeavesTheChannelOpen(TransportSecurity.Engine engine) throws Exception {
        Leg leg = listening(engine);

        sayEverything(leg);

        assertThat(leg.channel().isActive()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void finWithoutCloseNotifyIsSeenAsTruncation(TransportSecurity.Engine engine) throws Exception {
        Leg leg = listening(engine);
        leg.peer().getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(received(leg.channel(), REQUEST.length()), StandardCharsets.US_ASCII))
                .isEqualTo(REQUEST);

        leg.raw().close();

        assertThat(nextEvent(leg.channel())).isEqualTo(InputEnd.TRUNCATED);
    }

    private void sayEverything(Leg leg) throws Exception {
        OutputStream out = leg.peer().getOutputStream();
        out.write(REQUEST.getBytes(StandardCharsets.US_ASCII));
        leg.peer().shutdownOutput();
        assertThat(new String(received(leg.channel(), REQUEST.length()), StandardCharsets.US_ASCII))
                .isEqualTo(REQUEST);
        assertThat(nextEvent(leg.channel())).isEqualTo(InputEnd.ORDERLY);
    }

    private Leg listening(TransportSecurity.Engine engine) throws Exception {
        Leg leg = loopback.connect(loopback.loop(), context(engine));
        Loopback.onLoop(leg.channel(), pipeline -> {
            pipeline.addLast(new Recorder());
            WirePipeline.release(pipeline);
        });
        return leg;
    }

    private SslContext context(TransportSecurity.Engine engine) throws Exception {
        return TransportSecurity.server(
                certificate, List.of(), TransportSecurity.ClientCertificate.NONE, TlsVersion.TLS_1_3, engine);
    }

    private byte[] received(Channel channel, int length) throws Exception {
        ByteBuf all = Unpooled.buffer(length);
        while (all.readableBytes() < length) {
            Object event = nextEvent(channel);
            assertThat(event).isInstanceOf(byte[].class);
            all.writeBytes((byte[]) event);
        }
        return all.array();
    }

    private Object nextEvent(Channel channel) throws InterruptedException {
        channel.read();
        Object event = events.poll(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(event).isNotNull();
        return event;
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private final class Recorder extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf bytes) {
            byte[] copy = new byte[bytes.readableBytes()];
            bytes.readBytes(copy);
            events.add(copy);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            InputEnd end = HalfClose.inputEnd(ctx.channel(), event);
            if (end != InputEnd.OPEN) {
                events.add(end);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            events.add(cause);
        }
    }
}
