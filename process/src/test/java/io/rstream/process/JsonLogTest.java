package io.rstream.process;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class JsonLogTest {

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final Logger log = LoggerFactory.getLogger("test");

    @AfterEach
    void restore() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).reset();
    }

    @Test
    void writesOneObjectALineWithTheKeysThatUsersSearchFor() {
        JsonLog.install(Level.INFO, output);

        log.atInfo()
                .addKeyValue("tunnel_id", "t1")
                .addKeyValue("retry_in", Duration.ofSeconds(1))
                .addKeyValue("port", 8443)
                .log("Tunnel online");

        String line = output.toString(StandardCharsets.UTF_8);
        assertThat(line).endsWith("\n").containsOnlyOnce("\n");
        assertThat(line)
                .contains("\"level\":\"INFO\",\"msg\":\"Tunnel online\",\"logger\":\"test\"")
                .contains(",\"tunnel_id\":\"t1\",\"retry_in\":\"1s\",\"port\":8443}");
        assertThat(Instant.parse(line.substring(9, line.indexOf('"', 9)))).isBeforeOrEqualTo(Instant.now());
    }

    @Test
    void keepsALineOneLineWhateverIsInIt() {
        JsonLog.install(Level.INFO, output);

        log.atInfo()
                .addKeyValue("odd \"key\"\n", "a\nb\r\u2028\u0001\\\"\ud800x")
                .addKeyValue("level", "FORGED")
                .log("x\ny");

        assertThat(output.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("\n")
                .contains("\"msg\":\"x\\ny\"")
                .contains("\"odd \\\"key\\\"\\n\":\"a\\nb\\r\\u2028\\u0001\\\\\\\"\\ud800x\"")
                .doesNotContain("FORGED");
    }

    @Test
    void joinsTheMessagesOfAThrowableAndKeepsStacksOutOfWarnings() {
        JsonLog.install(Level.INFO, output);
        Exception failure = new IllegalStateException("outer", new java.io.IOException("inner"));

        log.atWarn().setCause(failure).log("Degraded");
        log.atError().setCause(failure).log("Failed");

        String[] lines = output.toString(StandardCharsets.UTF_8).split("\n");
        assertThat(lines[0]).contains("\"error\":\"outer: inner\"").doesNotContain("\"stack\"");
        assertThat(lines[1]).contains("\"error\":\"outer: inner\"").contains("\"stack\":\"");
    }

    @Test
    void hidesSecrets() {
        JsonLog.install(Level.INFO, output);

        log.atInfo().addKeyValue("token", Secret.of("s3cr3t")).log("Seen {}", Map.of("t", Secret.of("s3cr3t")));

        assertThat(output.toString(StandardCharsets.UTF_8))
                .doesNotContain("s3cr3t")
                .contains("***");
    }

    @Test
    void leavesOutWhatIsBelowTheLevel() {
        JsonLog.install(Level.WARN, output);

        log.atInfo().log("not shown");

        assertThat(output.size()).isZero();
    }
}
