package io.rstream.process;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.OutputStream;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Sets up logging for a process: one JSON object a line on standard output, with {@code time}, {@code level}, {@code
 * msg}, {@code logger} and the key-values of the event. Needs no configuration file.
 */
public final class JsonLog {

    private JsonLog() {}

    /**
     * Replaces all logging set-up of this JVM.
     *
     * @param level the lowest level that is written
     */
    public static void install(Level level) {
        install(level, System.out);
    }

    static void install(Level level, OutputStream destination) {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (!(factory instanceof LoggerContext context)) {
            throw new IllegalStateException("logging is not provided by Logback but by " + factory.getClass());
        }
        context.reset();
        JsonLineEncoder encoder = new JsonLineEncoder();
        encoder.setContext(context);
        encoder.start();
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(context);
        appender.setName("stdout");
        appender.setEncoder(encoder);
        appender.setOutputStream(destination);
        appender.start();
        var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(ch.qos.logback.classic.Level.convertAnSLF4JLevel(level));
        root.addAppender(appender);
    }
}
