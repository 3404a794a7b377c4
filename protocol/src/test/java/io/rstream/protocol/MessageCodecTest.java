package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.EncoderException;
import io.rstream.protocol.WireGoldens.Golden;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageCodecTest {
    @ParameterizedTest
    @MethodSource("io.rstream.protocol.WireGoldens#all")
    void decodesTheExamplesOfTheSpecification(Golden golden) {
        byte[] bytes = golden.bytes();

        Message message = MessageCodec.decode(Unpooled.wrappedBuffer(bytes, 4, bytes.length - 4));

        assertThat(message).isEqualTo(golden.message());
        assertThat(HexFormat.fromHexDigits(HexFormat.of().formatHex(bytes, 0, 4)))
                .isEqualTo(bytes.length - 4);
    }

    @ParameterizedTest
    @MethodSource("io.rstream.protocol.WireGoldens#all")
    void encodesTheExamplesOfTheSpecification(Golden golden) {
        String hex = hex(golden.message());

        assertThat(hex).isEqualTo(HexFormat.of().formatHex(golden.bytes()));
    }

    @Test
    void everyMessageSurvivesARoundTrip() {
        long seed = new Random().nextLong();
        RandomMessages random = new RandomMessages(new Random(seed));

        for (int i = 0; i < 200; i++) {
            for (Message message : random.oneOfEach()) {
                assertThat(decodeHex(hex(message).substring(8)))
                        .as("seed %d", seed)
                        .isEqualTo(message);
            }
        }
    }

    @Test
    void readsFieldsInAnyOrderAndIgnoresThoseThatItDoesNotKnow() {
        // Heartbeat with acknowledgement before sequence, then field 15 (varint) and field 99 (bytes).
        Message message = decodeHex("7a0a1002080178079a0601ff");

        assertThat(message).isEqualTo(new Message.Heartbeat(1, 2));
    }

    @Test
    void readsAnUnknownPayloadAndAnEmptyMessageAsUnknown() {
        Message unknownCase = decodeHex("fa0100");
        Message empty = decodeHex("");

        assertThat(unknownCase).isEqualTo(new Message.Unknown());
        assertThat(empty).isEqualTo(new Message.Unknown());
    }

    @Test
    void readsAnAnswerWithoutContentAsRefusal() {
        Message control = decodeHex("1200");
        Message tunnel = decodeHex("32040a027531");
        Message stream = decodeHex("7200");

        assertThat(control).isInstanceOf(Message.OpenControlChannelRefused.class);
        assertThat(tunnel)
                .isInstanceOfSatisfying(
                        Message.OpenTunnelRefused.class,
                        refused -> assertThat(refused.requestId()).isEqualTo("u1"));
        assertThat(stream).isInstanceOf(Message.StreamRefused.class);
    }

    @Test
    void keepsAPortTooLargeForTheRulesToRefuse() {
        // OpenTunnelReq with port 4294967295.
        Message message = decodeHex("2a0b1209ba010608ffffffff0f");

        assertThat(message)
                .isInstanceOfSatisfying(
                        Message.OpenTunnelRequest.class,
                        request -> assertThat(request.properties().port()).isEqualTo(Integer.MAX_VALUE));
    }

    @Test
    void writesAnAddressOfMappedFormAsIpv4() throws Exception {
        byte[] mapped = new byte[16];
        mapped[10] = mapped[11] = (byte) 0xFF;
        mapped[12] = 10;
        mapped[15] = 7;
        var request = new Message.ProxyConnectionRequest("t", "s", null, InetAddress.getByAddress(mapped), null);

        String hex = hex(request);

        assertThat(hex).endsWith("22050d0700000a");
    }

    @Test
    void refusesImpossibleValues() {
        assertThatThrownBy(() -> decodeHex("ff")).isExactlyInstanceOf(MalformedFrameException.class);
        assertThatThrownBy(() -> decodeHex("4a0622041202abcd"))
                .isExactlyInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("IPv6");
        // creation_date with the largest number of seconds.
        assertThatThrownBy(() -> decodeHex("2a0e120c120a08ffffffffffffffff7f"))
                .isExactlyInstanceOf(MalformedFrameException.class);
        // server_message whose text is not UTF-8.
        assertThatThrownBy(() -> decodeHex("8201040a02c328")).isExactlyInstanceOf(MalformedFrameException.class);
    }

    @Test
    void doesNotWriteAMessageThatIsLongerThanAFrame() {
        Message longest = new Message.ServerMessage("x".repeat(WirePipeline.MAXIMUM_FRAME - 10));
        Message tooLong = new Message.ServerMessage("x".repeat(WirePipeline.MAXIMUM_FRAME - 7));

        assertThat(hex(longest)).startsWith("0000fffe");
        assertThatThrownBy(() -> hex(tooLong))
                .isInstanceOf(EncoderException.class)
                .hasMessageContaining("ServerMessage")
                .hasMessageContaining("65535");
    }

    @Test
    void keepsSecretsOutOfText() {
        ClientDetails client = new ClientDetails("a", "b", "c", "d", "e", "TOPSECRET", "1.4.5");
        List<Object> carriers = List.of(
                client,
                new Message.ProxyRequest(client, "s", true),
                new Message.ProxyConnectionRequest("t", "s", "TOPSECRET", null, null));

        assertThat(carriers)
                .allSatisfy(carrier -> assertThat(carrier.toString()).doesNotContain("TOPSECRET"));
    }

    private static String hex(Message message) {
        ByteBuf frame = MessageCodec.encode(message, ByteBufAllocator.DEFAULT);
        try {
            return HexFormat.of().formatHex(ByteBufUtil.getBytes(frame));
        } finally {
            frame.release();
        }
    }

    private static Message decodeHex(String payload) {
        return MessageCodec.decode(Unpooled.wrappedBuffer(HexFormat.of().parseHex(payload)));
    }

    /** Messages with random content; nullable parts are null about every third time. */
    static final class RandomMessages {
        private final Random random;

        RandomMessages(Random random) {
            this.random = random;
        }

        List<Message> oneOfEach() {
            return List.of(
                    new Message.OpenControlChannelRequest(client(), maybe(this::liveness)),
                    new Message.OpenControlChannelAccepted(text(), maybe(this::server), maybe(this::liveness)),
                    new Message.OpenControlChannelRefused(error()),
                    new Message.CloseControlChannelRequest(),
                    new Message.CloseControlChannelResponse(),
                    new Message.OpenTunnelRequest(text(), properties()),
                    new Message.OpenTunnelAccepted(text(), properties()),
                    new Message.OpenTunnelRefused(text(), error()),
                    new Message.CloseTunnelRequest(text()),
                    new Message.CloseTunnelResponse(text()),
                    new Message.ProxyConnectionRequest(
                            text(), text(), maybe(this::text), maybe(this::address), maybe(this::text)),
                    new Message.ProxyConnectionResponse(text(), maybe(this::error)),
                    new Message.ProxyRequest(client(), text(), random.nextBoolean()),
                    new Message.ProxyResponse(maybe(this::error)),
                    new Message.StreamRequest(client(), text(), random.nextBoolean(), random.nextBoolean()),
                    new Message.StreamAccepted(text()),
                    new Message.StreamRefused(error()),
                    new Message.Heartbeat(random.nextLong(), random.nextLong()),
                    new Message.ServerMessage(text()),
                    new Message.DatagramChannelClose(text(), maybe(this::error)),
                    new Message.Unknown());
        }

        private <T> T maybe(Supplier<T> value) {
            return random.nextInt(3) == 0 ? null : value.get();
        }

        private Boolean flag() {
            return maybe(random::nextBoolean);
        }

        private String text() {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            String latin = new String(bytes, StandardCharsets.ISO_8859_1);
            return random.nextBoolean() ? latin : latin + "\u4e2d\ud83d\ude00";
        }

        private List<String> texts() {
            return IntStream.range(0, random.nextInt(4)).mapToObj(_ -> text()).toList();
        }

        private Map<String, String> labels() {
            Map<String, String> labels = new TreeMap<>();
            texts().forEach(key -> labels.put(key, text()));
            return labels;
        }

        private InetAddress address() {
            byte[] octets = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(octets);
            try {
                return InetAddress.getByAddress(octets);
            } catch (java.net.UnknownHostException e) {
                throw new IllegalStateException(e);
            }
        }

        private Liveness liveness() {
            return new Liveness(random.nextInt(Integer.MAX_VALUE), random.nextInt(Integer.MAX_VALUE));
        }

        private WireError error() {
            return new WireError(random.nextInt(), maybe(this::text));
        }

        private ClientDetails client() {
            return new ClientDetails(
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text));
        }

        private ServerDetails server() {
            return new ServerDetails(
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text),
                    maybe(this::text));
        }

        private TunnelProperties properties() {
            return TunnelProperties.builder()
                    .id(maybe(this::text))
                    .creationDate(maybe(() -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000))))
                    .name(maybe(this::text))
                    .type(maybe(this::text))
                    .publish(flag())
                    .protocol(maybe(this::text))
                    .labels(labels())
                    .geoip(texts())
                    .trustedIps(texts())
                    .host(maybe(this::text))
                    .tlsMode(maybe(this::text))
                    .tlsAlpns(texts())
                    .tlsMinVersion(maybe(this::text))
                    .tlsCiphers(texts())
                    .mtlsAuth(flag())
                    .mtlsCacertPem(maybe(this::text))
                    .httpVersion(maybe(this::text))
                    .httpUseTls(flag())
                    .tokenAuth(flag())
                    .rstreamAuth(flag())
                    .challengeMode(flag())
                    .hostname(maybe(this::text))
                    .port(maybe(() -> random.nextInt(Integer.MAX_VALUE)))
                    .upstreamTls(flag())
                    .datagramGuaranteedDelivery(flag())
                    .allowCrossRegionRouting(flag())
                    .build();
        }
    }
}
