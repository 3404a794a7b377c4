package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever comes in, the decoder gives messages or its own exception. */
class DecoderFuzzTest {
    private static final int ROUNDS = 5_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 42, 4711, -8_070_450_532_247_928_832L})
    void survivesKnownSeeds(long seed) {
        fuzz(seed);
    }

    @Test
    void survivesARandomSeed() {
        fuzz(new Random().nextLong());
    }

    private static void fuzz(long seed) {
        Random random = new Random(seed);
        List<WireGoldens.Golden> goldens = WireGoldens.all();
        int messages = 0;
        int refusals = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] input = switch (random.nextInt(3)) {
                case 0 -> randomBytes(random);
                case 1 -> framed(random);
                default -> mutated(goldens.get(random.nextInt(goldens.size())).bytes(), random);
            };
            try {
                messages += decode(input);
            } catch (MalformedFrameException e) {
                refusals++;
            } catch (Throwable e) {
                fail("seed %d, round %d".formatted(seed, round), e);
            }
        }
        assertThat(messages).as("messages with seed %d", seed).isPositive();
        assertThat(refusals).as("refusals with seed %d", seed).isPositive();
    }

    private static int decode(byte[] input) {
        EmbeddedChannel channel = new EmbeddedChannel();
        WirePipeline.install(channel.pipeline());
        try {
            channel.writeInbound(Unpooled.wrappedBuffer(input));
            channel.finish();
        } finally {
            channel.inboundMessages().forEach(message -> assertThat(message).isInstanceOf(Message.class));
        }
        return channel.inboundMessages().size();
    }

    private static byte[] randomBytes(Random random) {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] framed(Random random) {
        byte[] payload = randomBytes(random);
        byte[] frame = new byte[4 + payload.length];
        frame[3] = (byte) payload.length;
        System.arraycopy(payload, 0, frame, 4, payload.length);
        return frame;
    }

    private static byte[] mutated(byte[] frame, Random random) {
        byte[] copy = frame.clone();
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            copy[random.nextInt(copy.length)] = (byte) random.nextInt();
        }
        return copy;
    }
}
