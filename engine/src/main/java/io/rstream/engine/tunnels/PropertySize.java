package io.rstream.engine.tunnels;

import io.netty.buffer.ByteBufUtil;
import io.rstream.protocol.TunnelProperties;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of what a tunnel may carry: the engine keeps it, shows it in inventories, and sends it back in one frame. Sizes are
 * bytes of UTF-8.
 */
final class PropertySize {
    static final int MOST_BYTES = 16 * 1024;
    static final int MOST_ENTRIES = 64;
    static final int LONGEST_LABEL_KEY = 256;
    static final int LONGEST_LABEL_VALUE = 4 * 1024;

    private PropertySize() {}

    /** One sentence for each bound that is exceeded; a new list. */
    static List<String> problems(TunnelProperties properties) {
        List<String> problems = new ArrayList<>();
        Map<String, String> labels = properties.labels();
        checkCount("labels", labels.size(), problems);
        checkCount("geoip", properties.geoip().size(), problems);
        checkCount("trusted_ips", properties.trustedIps().size(), problems);
        checkCount("tls_alpns", properties.tlsAlpns().size(), problems);
        checkCount("tls_ciphers", properties.tlsCiphers().size(), problems);
        if (labels.keySet().stream().anyMatch(key -> bytes(key) > LONGEST_LABEL_KEY)) {
            problems.add("A label's key has at most " + LONGEST_LABEL_KEY + " bytes.");
        }
        if (labels.values().stream().anyMatch(value -> bytes(value) > LONGEST_LABEL_VALUE)) {
            problems.add("A label's value has at most " + LONGEST_LABEL_VALUE + " bytes.");
        }
        long total = total(properties);
        if (total > MOST_BYTES) {
            problems.add("The properties have " + total + " bytes; at most " + MOST_BYTES + " are allowed.");
        }
        return problems;
    }

    private static void checkCount(String property, int count, List<String> problems) {
        if (count > MOST_ENTRIES) {
            problems.add(property + " has " + count + " entries; at most " + MOST_ENTRIES + " are allowed.");
        }
    }

    private static long total(TunnelProperties properties) {
        // Id, creation date and host are the engine's; what a client says there is dropped.
        return Stream.of(
                                properties.name(),
                                properties.type(),
                                properties.protocol(),
                                properties.tlsMode(),
                                properties.tlsMinVersion(),
                                properties.mtlsCacertPem(),
                                properties.httpVersion(),
                                properties.hostname())
                        .mapToLong(PropertySize::bytes)
                        .sum()
                + Stream.<Collection<String>>of(
                                properties.labels().keySet(),
                                properties.labels().values(),
                                properties.geoip(),
                                properties.trustedIps(),
                                properties.tlsAlpns(),
                                properties.tlsCiphers())
                        .flatMap(Collection::stream)
                        .mapToLong(PropertySize::bytes)
                        .sum();
    }

    private static long bytes(@Nullable String text) {
        return text == null ? 0 : ByteBufUtil.utf8Bytes(text);
    }
}
