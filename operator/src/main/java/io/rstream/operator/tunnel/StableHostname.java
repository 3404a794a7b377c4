package io.rstream.operator.tunnel;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The public host name of a tunnel that asks for none: {@code r<8 hex>-<endpoint>.t.<cluster domain>} (operator
 * reference, section 3.6 and annex A.3).
 *
 * <p>The hexadecimal digits come from the tunnel's UID rather than from a random generator. So a lost status, a stale
 * cache or two operators at once all arrive at the same name, and a tunnel that is deleted and made again gets another
 * one. A stored name is kept while it belongs to the engine's domain, also when its digits were chosen otherwise, by an
 * earlier operator.
 */
final class StableHostname {

    private static final Pattern LABEL = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern IPV4 = Pattern.compile("[0-9]+(\\.[0-9]+){3}");
    private static final Pattern GENERATED = Pattern.compile("r[0-9a-f]{8}-(.+)");
    private static final int DIGITS = 8;
    private static final int LONGEST_ENDPOINT = 53;

    private StableHostname() {}

    /**
     * The name to use.
     *
     * @param stored the name in the tunnel's status, if any
     * @param engine engine address
     * @param uid UID of the tunnel
     * @return the stored name while it fits; else a new one; the stored one, or none, when the engine's address gives no
     *     domain
     */
    static @Nullable String choose(@Nullable String stored, String engine, String uid) {
        var suffix = suffix(engine);
        if (suffix.isEmpty()) {
            return stored;
        }
        return stored != null && fits(stored, suffix.get()) ? stored : "r" + digits(uid) + "-" + suffix.get();
    }

    private static boolean fits(String stored, String suffix) {
        var generated = GENERATED.matcher(stored);
        return generated.matches() && generated.group(1).equals(suffix);
    }

    /** {@code <endpoint>.t.<cluster domain>} of an engine whose host has that shape. */
    static Optional<String> suffix(String engine) {
        var host = host(engine);
        var dot = host.indexOf('.');
        if (dot < 0 || dot > LONGEST_ENDPOINT || IPV4.matcher(host).matches()) {
            return Optional.empty();
        }
        for (var label : host.split("\\.", -1)) {
            if (!LABEL.matcher(label).matches()) {
                return Optional.empty();
            }
        }
        return Optional.of(host.substring(0, dot) + ".t." + host.substring(dot + 1));
    }

    /** The host without scheme, path, port and trailing dot; text with a colon, which no label has, for IPv6. */
    private static String host(String engine) {
        var text = engine.strip().toLowerCase(Locale.ROOT);
        var scheme = text.indexOf("://");
        text = scheme < 0 ? text : text.substring(scheme + 3);
        var path = text.indexOf('/');
        text = path < 0 ? text : text.substring(0, path);
        var colon = text.indexOf(':');
        if (colon >= 0 && colon == text.lastIndexOf(':')) {
            text = text.substring(0, colon);
        }
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }

    private static String digits(String uid) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(uid.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
