package io.rstream.e2e.traffic;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/** Content of any length that shows every loss, repetition and mix-up: random blocks, each with its number. */
final class Payload {
    private static final int BLOCK = 64 * 1024;
    private static final byte[] RANDOM = new byte[BLOCK];

    static {
        new Random(20_260_101).nextBytes(RANDOM);
    }

    private Payload() {}

    /** A stream of this many bytes. */
    static InputStream stream(long length) {
        return new InputStream() {
            private long position;

            @Override
            public int read() {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] target, int offset, int wanted) {
                if (position >= length) {
                    return -1;
                }
                int start = (int) (position % BLOCK);
                int count = (int) Math.min(Math.min(wanted, BLOCK - start), length - position);
                System.arraycopy(block(position / BLOCK), start, target, offset, count);
                position += count;
                return count;
            }
        };
    }

    /** Writes this many bytes. */
    static void write(OutputStream out, long length) throws IOException {
        for (long position = 0; position < length; position += BLOCK) {
            out.write(block(position / BLOCK), 0, (int) Math.min(BLOCK, length - position));
        }
        out.flush();
    }

    /** SHA-256 of the first bytes of a stream. */
    static String digest(InputStream in, long length) throws IOException {
        MessageDigest digest = sha256();
        byte[] buffer = new byte[BLOCK];
        long left = length;
        while (left > 0) {
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                return "the stream ended %d bytes too early".formatted(left);
            }
            digest.update(buffer, 0, count);
            left -= count;
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** SHA-256 of the payload of this length. */
    static String digest(long length) {
        try {
            return digest(stream(length), length);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] block(long number) {
        byte[] block = RANDOM.clone();
        ByteBuffer.wrap(block).putLong(number);
        return block;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
