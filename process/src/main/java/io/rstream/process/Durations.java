package io.rstream.process;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Durations as users of Kubernetes and Go write them: {@code 1s}, {@code 1m30s}, {@code 250ms}, {@code 1.5h}. The grammar
 * is that of Go's {@code time.ParseDuration}.
 */
public final class Durations {

    private static final Pattern WHOLE = Pattern.compile("[+-]?(0|((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)");
    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final int LONGEST_TEXT = 64;

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @param text for example {@code 1m30s}; a bare {@code 0} needs no unit
     * @throws IllegalArgumentException when the text is not a duration or lies beyond 292 years; the message shows how to
     *     write one
     */
    public static Duration parse(String text) {
        if (text.length() > LONGEST_TEXT || !WHOLE.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a duration; write a number with a unit, such as 500ms, 30s or 1m30s");
        }
        BigDecimal nanos = BigDecimal.ZERO;
        var parts = PART.matcher(text);
        while (parts.find()) {
            nanos = nanos.add(new BigDecimal(parts.group(1)).multiply(BigDecimal.valueOf(nanosOf(parts.group(2)))));
        }
        if (text.startsWith("-")) {
            nanos = nanos.negate();
        }
        if (nanos.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("duration \"" + text + "\" is too long; the limit is 292 years");
        }
        return Duration.ofNanos(nanos.setScale(0, RoundingMode.DOWN).longValueExact());
    }

    /**
     * Writes a duration in the shortest exact form that {@link #parse} reads: {@code 1s}, {@code 1m30s}, {@code 1.5s},
     * {@code 250ms}.
     */
    public static String format(Duration duration) {
        if (duration.isNegative()) {
            return "-" + format(duration.negated());
        }
        if (duration.isZero()) {
            return "0s";
        }
        if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
            return fraction(duration.toNanos());
        }
        StringBuilder text = new StringBuilder();
        if (duration.toHours() > 0) {
            text.append(duration.toHours()).append('h');
        }
        if (duration.toMinutesPart() > 0) {
            text.append(duration.toMinutesPart()).append('m');
        }
        if (duration.toSecondsPart() > 0 || duration.toNanosPart() > 0) {
            text.append(decimal(duration.toSecondsPart() * 1_000_000_000L + duration.toNanosPart(), 9))
                    .append('s');
        }
        return text.toString();
    }

    private static long nanosOf(String unit) {
        return switch (unit) {
            case "ns" -> 1L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> 1_000L;
        };
    }

    private static String fraction(long nanos) {
        if (nanos < 1_000) {
            return nanos + "ns";
        }
        return nanos < 1_000_000 ? decimal(nanos, 3) + "us" : decimal(nanos, 6) + "ms";
    }

    private static String decimal(long nanos, int scale) {
        return BigDecimal.valueOf(nanos, scale).stripTrailingZeros().toPlainString();
    }
}
