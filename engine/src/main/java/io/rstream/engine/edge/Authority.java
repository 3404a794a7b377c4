package io.rstream.engine.edge;

import io.netty.util.NetUtil;
import io.rstream.engine.tunnels.Hostnames;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The host and port that a request is for (RFC 9110, section 7.2).
 *
 * @param text as the caller wrote it
 * @param host in lower case, without port and without a final dot
 */
record Authority(String text, String host) {
    private static final Pattern SYNTAX =
            Pattern.compile("([A-Za-z0-9._~%!$&'()*+,;=-]{1,255}|\\[[0-9A-Fa-f:.]{2,45}])(?::\\d{0,5})?");

    /** Whether it can only mean the machine that was connected to: an IP address or {@code localhost}. */
    boolean isLocal() {
        return host.equals("localhost") || host.startsWith("[") || NetUtil.isValidIpV4Address(host);
    }

    /** Reads the value of Host or :authority; empty when it is malformed. */
    static Optional<Authority> of(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        return matcher.matches()
                ? Optional.of(new Authority(text, Hostnames.canonical(matcher.group(1))))
                : Optional.empty();
    }
}
