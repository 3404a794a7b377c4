package io.rstream.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rstream.protocol.Message.StreamRefused;
import io.rstream.protocol.Message.StreamRequest;
import io.rstream.protocol.TunnelProperties;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SecretsIT {
    @Test
    void writesNoTokenAndNoStreamSecretIntoTheLog() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("io.rstream");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        logger.setLevel(Level.DEBUG);
        String token = EngineFixture.token("someone");
        String wrong = token.substring(0, token.length() - 4) + "AAAA";
        String streamSecret;

        try (EngineFixture engine = EngineFixture.start("timeouts: {drain: 1s}");
                RawHttps https = RawHttps.connect(engine, "web.t.localhost");
                TestAgent agent = TestAgent.connect(engine, token, null);
                WireClient refused = WireClient.connect(engine);
                WireClient dialer = WireClient.connect(engine)) {
            agent.openHttp("web.t.localhost");
            agent.open(TunnelProperties.builder().publish(false).name("db"));
            refused.send(new StreamRequest(TestAgent.details(wrong), "db", false, false));
            refused.take(StreamRefused.class);
            dialer.send(new StreamRequest(TestAgent.details(token), "db", false, false));
            var request = agent.streamRequest();
            streamSecret = request.secret();
            agent.callBack(request, "guessed-secret", true).awaitClosed();
            agent.refuse(request, "no");
            dialer.take(StreamRefused.class);
            https.send("GET /?rstream.token=" + token + " HTTP/1.1\r\nHost: web.t.localhost\r\nAuthorization: Bearer "
                    + token + "\r\n\r\n");
            agent.refuse(agent.streamRequest(), "no");
            assertThat(https.read().status()).isEqualTo(502);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }

        assertThat(log.list).isNotEmpty();
        for (String secret : List.of(token, wrong, streamSecret, "guessed-secret", EngineFixture.SECRET)) {
            assertThat(log.list).noneMatch(event -> text(event).contains(secret));
        }
    }

    private static String text(ILoggingEvent event) {
        return event.getFormattedMessage() + event.getKeyValuePairs() + event.getThrowableProxy();
    }
}
