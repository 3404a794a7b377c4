package io.rstream.engine;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Fails a test class after which a buffer was collected that nobody had released. Registered for all classes. */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
    private final ListAppender<ILoggingEvent> reports = new ListAppender<>();

    @Override
    public void beforeAll(ExtensionContext context) {
        reports.list.clear();
        reports.start();
        logger().addAppender(reports);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        System.gc();
        // Leaks are reported when further buffers are tracked.
        for (int i = 0; i < 200; i++) {
            ByteBufAllocator.DEFAULT.buffer(16).release();
        }
        logger().detachAppender(reports);
        List<String> leaks = reports.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(message -> message.contains("LEAK"))
                .toList();
        if (!leaks.isEmpty()) {
            throw new AssertionError(leaks.size() + " leaks up to " + context.getDisplayName() + ": " + leaks);
        }
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("io.netty.util.ResourceLeakDetector");
    }
}
