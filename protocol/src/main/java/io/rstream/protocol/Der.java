package io.rstream.protocol;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Optional;

/**
 * The few bytes of DER (X.690) that turn the older private key formats into PKCS#8 (RFC 5958), the only one that the JDK
 * reads.
 */
final class Der {
    private static final int SEQUENCE = 0x30;
    private static final int INTEGER = 0x02;
    private static final int OCTET_STRING = 0x04;
    private static final int PARAMETERS = 0xA0;

    private static final byte[] VERSION_0 = {INTEGER, 1, 0};
    /** rsaEncryption 1.2.840.113549.1.1.1 with its NULL parameters. */
    private static final byte[] RSA = {
        0x06, 0x09, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00
    };
    /** id-ecPublicKey 1.2.840.10045.2.1. */
    private static final byte[] EC = {0x06, 0x07, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x02, 0x01};

    private Der() {}

    /** Wraps an RSAPrivateKey (RFC 8017, appendix A.1.2). */
    static byte[] pkcs8FromPkcs1(byte[] rsaPrivateKey) {
        return element(SEQUENCE, VERSION_0, element(SEQUENCE, RSA), element(OCTET_STRING, rsaPrivateKey));
    }

    /**
     * Wraps an ECPrivateKey (RFC 5915).
     *
     * @param curve the named curve's object identifier for a key that does not name it itself
     */
    static byte[] pkcs8FromSec1(byte[] ecPrivateKey, Optional<byte[]> curve) throws GeneralSecurityException {
        byte[] named = curveOf(ecPrivateKey)
                .or(() -> curve)
                .orElseThrow(() -> new GeneralSecurityException("the EC private key does not name its curve"));
        return element(SEQUENCE, VERSION_0, element(SEQUENCE, EC, named), element(OCTET_STRING, ecPrivateKey));
    }

    private static Optional<byte[]> curveOf(byte[] ecPrivateKey) throws GeneralSecurityException {
        ByteBuffer key = content(ByteBuffer.wrap(ecPrivateKey), SEQUENCE);
        content(key, INTEGER);
        content(key, OCTET_STRING);
        if (!key.hasRemaining() || (key.get(key.position()) & 0xFF) != PARAMETERS) {
            return Optional.empty();
        }
        ByteBuffer parameters = content(key, PARAMETERS);
        byte[] named = new byte[parameters.remaining()];
        parameters.get(named);
        return Optional.of(named);
    }

    /** Takes one element from the front and gives its content. */
    private static ByteBuffer content(ByteBuffer from, int tag) throws GeneralSecurityException {
        if (from.remaining() < 2 || (from.get() & 0xFF) != tag) {
            throw new GeneralSecurityException("the private key is not valid DER");
        }
        int length = from.get() & 0xFF;
        if (length > 0x80) {
            int octets = length - 0x80;
            if (octets > 2 || from.remaining() < octets) {
                throw new GeneralSecurityException("the private key is not valid DER");
            }
            length = 0;
            for (int i = 0; i < octets; i++) {
                length = (length << 8) | (from.get() & 0xFF);
            }
        }
        if (length > from.remaining()) {
            throw new GeneralSecurityException("the private key is not valid DER");
        }
        ByteBuffer content = from.slice(from.position(), length);
        from.position(from.position() + length);
        return content;
    }

    private static byte[] element(int tag, byte[]... parts) {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 4);
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        }
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
