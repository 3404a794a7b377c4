package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.embedded.EmbeddedChannel;
import io.rstream.protocol.WireGoldens.Golden;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WirePipelineTest {
    @Test
    void anySplitOfTheBytesGivesTheSameMessages() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        byte[] all = HexFormat.of().parseHex(allGoldensHex());

        for (int round = 0; round < 200; round++) {
            assertThat(decodeInPieces(all, random)).as("seed %d", seed).isEqualTo(goldenMessages());
        }
    }

    @Test
    void oneByteAtATimeGivesTheSameMessages() {
        EmbeddedChannel channel = wired();

        for (byte each : HexFormat.of().parseHex(allGoldensHex())) {
            channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {each}));
        }

        assertThat(inbound(channel)).isEqualTo(goldenMessages());
    }

    @Test
    void acceptsTheLongestFrame() {
        EmbeddedChannel channel = wired();
        Message longest = new Message.ServerMessage("x".repeat(WirePipeline.MAXIMUM_FRAME - 9));

        channel.writeOutbound(longest);
        ByteBuf frame = channel.readOutbound();
        assertThat(frame.readableBytes()).isEqualTo(4 + WirePipeline.MAXIMUM_FRAME);
        channel.writeInbound(frame);

        assertThat(inbound(channel)).containsExactly(longest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"00010000", "7fffffff", "80000000", "ffffffff"})
    void refusesALengthBeforeThePayloadComes(String header) {
        EmbeddedChannel channel = wired();

        assertThatThrownBy(() -> channel.writeInbound(hex(header)))
                .isExactlyInstanceOf(MalformedFrameException.class)
                .hasMessageContaining(Long.toString(Long.parseLong(header, 16)))
                .hasMessageContaining("65535");
    }

    @Test
    void readsNothingMoreAfterAMalformedFrame() {
        EmbeddedChannel channel = wired();

        assertThatThrownBy(() -> channel.writeInbound(hex("00000001ff000000027a00")))
                .isExactlyInstanceOf(MalformedFrameException.class);
        channel.writeInbound(hex("000000027a00"));

        assertThat(inbound(channel)).isEmpty();
        assertThat(channel.finish()).isFalse();
    }

    @Test
    void anEndInsideAFrameIsMalformed() {
        EmbeddedChannel channel = wired();
        channel.writeInbound(hex("000000047a02"));

        assertThatThrownBy(channel::finish)
                .isExactlyInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("inside a frame");
    }

    @Test
    void anEndBetweenFramesIsNotMalformed() {
        EmbeddedChannel channel = wired();
        channel.writeInbound(hex("000000027a00"));

        assertThat(inbound(channel)).hasSize(1);
        channel.finish();
        channel.checkException();
    }

    @Test
    void removalInsideTheLastMessagePassesTheSurplusOn() {
        List<Object> seen = new ArrayList<>();
        EmbeddedChannel channel = wired();
        channel.pipeline().addLast(new OnMessage(WirePipeline::remove, seen));

        channel.writeInbound(hex("00000002620068656c6c6f"));
        channel.writeInbound(hex("21"));

        assertThat(seen).containsExactly(new Message.ProxyResponse(null), "hello", "!");
        assertThat(channel.pipeline().names()).noneMatch(name -> name.startsWith("rstream"));
    }

    @Test
    void heldBytesWaitUntilTheyAreReleased() {
        List<Object> before = new ArrayList<>();
        List<Object> after = new ArrayList<>();
        EmbeddedChannel channel = wired();
        channel.pipeline().addLast("handshake", new OnMessage(WirePipeline::hold, before));

        channel.writeInbound(hex("00000002620068656c6c6f"));
        channel.writeInbound(hex("21"));
        channel.pipeline().remove("handshake");
        channel.pipeline().addLast(new OnMessage(_ -> {}, after));
        WirePipeline.release(channel.pipeline());

        assertThat(before).containsExactly(new Message.ProxyResponse(null));
        assertThat(after).containsExactly("hello", "!");
    }

    @Test
    void heldBytesOfAClosedChannelAreReleased() {
        EmbeddedChannel channel = wired();
        channel.pipeline().addLast(new OnMessage(WirePipeline::hold, new ArrayList<>()));
        ByteBuf bytes = hex("00000002620068656c6c6f");

        channel.writeInbound(bytes);
        channel.finish();

        assertThat(bytes.refCnt()).isZero();
    }

    @Test
    void rawBytesMayFollowARequestBeforeTheCodecIsRemoved() {
        EmbeddedChannel channel = wired();

        channel.writeOutbound(new Message.ProxyResponse(null), hex("68656c6c6f"));

        assertThat(HexFormat.of().formatHex(outbound(channel))).isEqualTo("00000002620068656c6c6f");
    }

    @Test
    void aMessageThatIsTooLongFailsItsWriteOnly() {
        EmbeddedChannel channel = wired();

        var written = channel.writeAndFlush(new Message.ServerMessage("x".repeat(70_000)));
        channel.writeOutbound(Message.Heartbeat.EMPTY);

        assertThat(written.isSuccess()).isFalse();
        assertThat(HexFormat.of().formatHex(outbound(channel))).isEqualTo("000000027a00");
    }

    private static EmbeddedChannel wired() {
        EmbeddedChannel channel = new EmbeddedChannel();
        WirePipeline.install(channel.pipeline());
        return channel;
    }

    private static ByteBuf hex(String hex) {
        return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
    }

    private static List<Object> inbound(EmbeddedChannel channel) {
        return new ArrayList<>(channel.inboundMessages());
    }

    private static byte[] outbound(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            all.writeBytes(next);
            next.release();
        }
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    private static List<Object> decodeInPieces(byte[] all, Random random) {
        EmbeddedChannel channel = wired();
        int from = 0;
        while (from < all.length) {
            int length = Math.min(1 + random.nextInt(random.nextBoolean() ? 8 : 200), all.length - from);
            channel.writeInbound(Unpooled.copiedBuffer(all, from, length));
            from += length;
        }
        return inbound(channel);
    }

    private static List<Object> goldenMessages() {
        return WireGoldens.all().stream().<Object>map(Golden::message).toList();
    }

    private static String allGoldensHex() {
        StringBuilder all = new StringBuilder();
        WireGoldens.all().forEach(golden -> all.append(HexFormat.of().formatHex(golden.bytes())));
        return all.toString();
    }

    /** Does something with the pipeline at the first message, and writes down all that it reads. */
    private static final class OnMessage extends ChannelInboundHandlerAdapter {
        private final Consumer<ChannelPipeline> action;
        private final List<Object> seen;

        OnMessage(Consumer<ChannelPipeline> action, List<Object> seen) {
            this.action = action;
            this.seen = seen;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof ByteBuf bytes) {
                seen.add(bytes.toString(StandardCharsets.US_ASCII));
                bytes.release();
            } else {
                seen.add(message);
                action.accept(ctx.pipeline());
            }
        }
    }
}
