package io.rstream.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Writes one log event as one line of JSON. Logback's own encoder has other member names than the ones that users of the
 * operator's logs search for, and they cannot be changed.
 */
final class JsonLineEncoder extends EncoderBase<ILoggingEvent> {

    private static final Set<String> RESERVED = Set.of("time", "level", "msg", "logger");

    @Override
    public byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] footerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(256);
        line.append("{\"time\":\"").append(event.getInstant()).append('"');
        member(line, "level", event.getLevel().toString());
        member(line, "msg", event.getFormattedMessage());
        member(line, "logger", event.getLoggerName());
        Set<String> written = new HashSet<>(RESERVED);
        keyValues(line, event, written);
        throwable(line, event, written);
        line.append("}\n");
        return line.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void keyValues(StringBuilder line, ILoggingEvent event, Set<String> written) {
        if (event.getKeyValuePairs() == null) {
            return;
        }
        for (KeyValuePair pair : event.getKeyValuePairs()) {
            if (written.add(pair.key)) {
                member(line, pair.key, pair.value);
            }
        }
    }

    private static void throwable(StringBuilder line, ILoggingEvent event, Set<String> written) {
        IThrowableProxy throwable = event.getThrowableProxy();
        if (throwable == null) {
            return;
        }
        if (written.add("error")) {
            member(line, "error", messages(throwable));
        }
        boolean withStack =
                event.getLevel().isGreaterOrEqual(Level.ERROR) || Level.DEBUG.isGreaterOrEqual(event.getLevel());
        if (withStack && written.add("stack")) {
            member(line, "stack", ThrowableProxyUtil.asString(throwable));
        }
    }

    private static String messages(IThrowableProxy throwable) {
        StringBuilder text = new StringBuilder();
        Set<IThrowableProxy> seen = new HashSet<>();
        for (IThrowableProxy each = throwable; each != null && seen.add(each); each = each.getCause()) {
            String message = each.getMessage() == null ? each.getClassName() : each.getMessage();
            if (text.indexOf(message) < 0) {
                text.append(text.isEmpty() ? "" : ": ").append(message);
            }
        }
        return text.toString();
    }

    private static void member(StringBuilder line, String name, @Nullable Object value) {
        line.append(',');
        text(line, name);
        line.append(':');
        switch (value) {
            case null -> line.append("null");
            case Boolean flag -> line.append(flag.booleanValue());
            case Integer number -> line.append(number.intValue());
            case Long number -> line.append(number.longValue());
            case Duration duration -> text(line, Durations.format(duration));
            default -> text(line, String.valueOf(value));
        }
    }

    /** A JSON string (RFC 8259, section 7); control characters and line separators are escaped so that a line stays one. */
    private static void text(StringBuilder line, String value) {
        line.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> {
                    if (c < ' '
                            || c == '\u2028'
                            || c == '\u2029'
                            || (Character.isSurrogate(c) && isUnpaired(value, i))) {
                        line.append(String.format("\\u%04x", (int) c));
                    } else {
                        line.append(c);
                    }
                }
            }
        }
        line.append('"');
    }

    private static boolean isUnpaired(String value, int index) {
        char c = value.charAt(index);
        return Character.isHighSurrogate(c)
                ? index + 1 >= value.length() || !Character.isLowSurrogate(value.charAt(index + 1))
                : index == 0 || !Character.isHighSurrogate(value.charAt(index - 1));
    }
}
