package io.rstream.operator.tunnel;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Names that follow from a tunnel's own name (operator reference, section 3.7 and annex B). They are public: an operator
 * that takes over from another one finds the existing objects by them.
 */
public final class AgentNames {

    private static final int MAXIMUM_NAME = 63;
    private static final int HASH_DIGITS = 8;
    private static final int FNV_OFFSET = 0x811c9dc5;
    private static final int FNV_PRIME = 0x01000193;

    private AgentNames() {}

    /** The name in rstream of a tunnel that declares none. */
    public static String rstreamName(String namespace, String name) {
        return sanitise(namespace + "-" + name);
    }

    /**
     * The name of the Deployment, ServiceAccount, Role and RoleBinding; at most 63 characters.
     *
     * @param uid UID of the tunnel, or blank when it is not known
     */
    public static String childBaseName(String namespace, String name, String uid) {
        var base = sanitise("rstream-" + name);
        var hash = fnv1a(uid.isBlank() ? namespace + "/" + name : uid);
        var room = MAXIMUM_NAME - HASH_DIGITS - 1;
        if (base.length() > room) {
            base = withoutTrailingDashes(base.substring(0, room));
        }
        return base + "-" + hash;
    }

    /** The name of the ConfigMap. */
    public static String configMapName(String childBaseName) {
        return childBaseName + "-config";
    }

    /** Lower-case letters and digits (of any script) with single dashes between; {@code rstream} when nothing is left. */
    static String sanitise(String text) {
        var out = new StringBuilder();
        text.strip().toLowerCase(Locale.ROOT).codePoints().forEach(character -> {
            if (Character.isLetter(character) || Character.isDigit(character)) {
                out.appendCodePoint(character);
            } else if (!out.isEmpty() && out.charAt(out.length() - 1) != '-') {
                out.append('-');
            }
        });
        var name = withoutTrailingDashes(out.toString());
        return name.isEmpty() ? "rstream" : name;
    }

    /** 32-bit FNV-1a over UTF-8 as eight hexadecimal digits. */
    static String fnv1a(String text) {
        var hash = FNV_OFFSET;
        for (var octet : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (octet & 0xff)) * FNV_PRIME;
        }
        return HexFormat.of().toHexDigits(hash);
    }

    private static String withoutTrailingDashes(String text) {
        var end = text.length();
        while (end > 0 && text.charAt(end - 1) == '-') {
            end--;
        }
        return text.substring(0, end);
    }
}
