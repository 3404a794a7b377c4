package io.rstream.operator.tunnel.children;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** The value that rolls the agent when its configuration or a Secret changes (operator reference, section 3.9). */
final class RolloutHash {

    private static final int DIGITS = 16;

    private RolloutHash() {}

    /** First 16 hexadecimal digits of SHA-256 over the file and the sorted versions, each followed by one NUL byte. */
    static String of(String configFile, List<String> secretVersions) {
        var digest = sha256();
        add(digest, configFile);
        secretVersions.stream().sorted().forEach(version -> add(digest, version));
        return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
    }

    private static void add(MessageDigest digest, String item) {
        digest.update(item.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
