package io.rstream.operator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** Everything that is logged in this JVM while it is open, whatever the level of the console. */
final class LogEvents implements AutoCloseable {

    private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            events.add(event);
        }
    };

    private LogEvents() {
        appender.start();
        root.addAppender(appender);
    }

    static LogEvents open() {
        return new LogEvents();
    }

    /** Errors, and whatever carries an exception at information level or above. */
    List<String> troubles() {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.ERROR)
                        || (event.getThrowableProxy() != null
                                && event.getLevel().isGreaterOrEqual(Level.INFO)))
                .map(event -> "%s %s: %s %s\n%s"
                        .formatted(
                                event.getLevel(),
                                event.getLoggerName(),
                                event.getFormattedMessage(),
                                event.getKeyValuePairs(),
                                event.getThrowableProxy() == null
                                        ? ""
                                        : ThrowableProxyUtil.asString(event.getThrowableProxy())))
                .toList();
    }

    @Override
    public void close() {
        root.detachAppender(appender);
        appender.stop();
    }
}
