package io.rstream.engine.tunnels;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Ids of tunnels, sessions and streams: random, and in a form that no tunnel's name can have. Thread-safe. */
public final class TunnelIds {
    private static final Pattern ID = Pattern.compile("tun_[0-9a-f]{24}");
    private static final int RANDOM_BYTES = 12;
    private static final int SECRET_BYTES = 32;

    private final SecureRandom random;

    /** Ids from this source. */
    public TunnelIds(SecureRandom random) {
        this.random = random;
    }

    /** A new tunnel id. */
    public String tunnel() {
        return "tun_" + hex(RANDOM_BYTES);
    }

    /** A new id of a control channel. */
    public String client() {
        return "cli_" + hex(RANDOM_BYTES);
    }

    /** A new stream id: 24 hexadecimal digits (protocol, section 11.2). */
    public String stream() {
        return hex(RANDOM_BYTES);
    }

    /** A new secret of 256 bits in hexadecimal. */
    public String secret() {
        return hex(SECRET_BYTES);
    }

    /** Eight hexadecimal digits. */
    public String short8() {
        return hex(4);
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    private String hex(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
