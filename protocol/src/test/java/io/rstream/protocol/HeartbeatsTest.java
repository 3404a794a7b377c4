package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeartbeatsTest {
    private static final Liveness AGREED = new Liveness(1000, 2500);

    @Test
    void boundedClientBeatsAtOnceAndThenEveryInterval() throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(1000, AGREED));

        advance(channel, 1000);
        channel.writeInbound(new Message.Unknown());
        advance(channel, 1000);

        assertThat(sent(channel))
                .containsExactly(new Message.Heartbeat(1, 0), new Message.Heartbeat(2, 0), new Message.Heartbeat(3, 0));
    }

    @Test
    void anyMessageRenewsTheDeadlineOfABoundedClient() throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(1000, AGREED));

        for (int i = 0; i < 5; i++) {
            advance(channel, 2400);
            channel.writeInbound(new Message.ServerMessage("still here"));
        }

        assertThat(channel.inboundMessages()).hasSize(5);
    }

    @Test
    void silenceEndsABoundedClient() throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(1000, AGREED));
        advance(channel, 2400);

        assertThatThrownBy(() -> {
                    advance(channel, 101);
                    channel.checkException();
                })
                .isInstanceOf(LivenessException.class)
                .hasMessageContaining("2500 ms");
    }

    @Test
    void boundedClientAcceptsAcknowledgementsThatSkipNumbers() throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(1000, AGREED));
        advance(channel, 1000);
        advance(channel, 1000);

        channel.writeInbound(new Message.Heartbeat(0, 2), new Message.Heartbeat(0, 3));

        assertThat(channel.inboundMessages()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,0", "0,0", "0,2", "0,-1"})
    void boundedClientRefusesHeartbeatsThatBreakTheRules(long sequence, long acknowledgement) throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(1000, AGREED));

        assertThatThrownBy(() -> channel.writeInbound(new Message.Heartbeat(sequence, acknowledgement)))
                .isInstanceOf(LivenessException.class);
    }

    @Test
    void boundedClientRefusesARepeatedAcknowledgement() throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(1000, AGREED));
        channel.writeInbound(new Message.Heartbeat(0, 1));

        assertThatThrownBy(() -> channel.writeInbound(new Message.Heartbeat(0, 1)))
                .isInstanceOf(LivenessException.class);
    }

    @Test
    void failsOnceAndBeatsNoMore() throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(1000, AGREED));
        assertThatThrownBy(() -> channel.writeInbound(new Message.Heartbeat(1, 1)))
                .isInstanceOf(LivenessException.class);
        sent(channel);

        advance(channel, 10_000);
        channel.checkException();

        assertThat(sent(channel)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"2000,5000", "1000,999", "1000,900001", "1000,0"})
    void refusesAnAnswerThatDoesNotFitTheRequest(int interval, int timeout) {
        Liveness answer = new Liveness(interval, timeout);

        assertThatThrownBy(() -> Heartbeats.client(1000, answer))
                .isInstanceOf(LivenessException.class)
                .hasMessageContaining("1000 ms");
    }

    @Test
    void legacyClientSendsEmptyHeartbeatsAndToleratesSilence() throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(5000, null));
        assertThat(sent(channel)).isEmpty();

        advance(channel, 5000);
        advance(channel, 1_000_000);
        channel.checkException();

        assertThat(sent(channel)).hasSizeGreaterThan(1).containsOnly(Message.Heartbeat.EMPTY);
    }

    @Test
    void legacyClientRefusesAHeartbeatWithContent() throws Exception {
        EmbeddedChannel channel = open(Heartbeats.client(5000, null));
        channel.writeInbound(Message.Heartbeat.EMPTY);

        assertThatThrownBy(() -> channel.writeInbound(new Message.Heartbeat(0, 1)))
                .isInstanceOf(LivenessException.class);
    }

    @Test
    void legacyClientNoticesThatNothingCanBeWritten() throws Exception {
        EmbeddedChannel channel = new EmbeddedChannel(new StuckWrites());
        channel.freezeTime();
        channel.pipeline().addLast(Heartbeats.client(5000, null));
        for (int i = 0; i < 12; i++) {
            advance(channel, 5000);
        }
        channel.checkException();

        assertThatThrownBy(() -> {
                    advance(channel, 5000);
                    channel.checkException();
                })
                .isInstanceOf(LivenessException.class)
                .hasMessageContaining("60000 ms");
    }

    @Test
    void boundedServerAcknowledgesEachHeartbeat() {
        EmbeddedChannel channel = open(Heartbeats.server(AGREED));

        channel.writeInbound(new Message.Heartbeat(1, 0), new Message.Heartbeat(2, 0), new Message.Heartbeat(300, 0));

        assertThat(sent(channel))
                .containsExactly(
                        new Message.Heartbeat(0, 1), new Message.Heartbeat(0, 2), new Message.Heartbeat(0, 300));
    }

    @Test
    void boundedServerNeverRepeatsAnAcknowledgement() {
        EmbeddedChannel channel = open(Heartbeats.server(AGREED));

        channel.writeInbound(new Message.Heartbeat(2, 0), new Message.Heartbeat(2, 0), Message.Heartbeat.EMPTY);

        assertThat(sent(channel)).containsExactly(new Message.Heartbeat(0, 2));
    }

    @Test
    void silenceEndsABoundedServer() {
        EmbeddedChannel channel = open(Heartbeats.server(AGREED));
        advance(channel, 1000);
        channel.writeInbound(new Message.Heartbeat(1, 0));
        advance(channel, 2400);
        channel.checkException();

        assertThatThrownBy(() -> {
                    advance(channel, 101);
                    channel.checkException();
                })
                .isInstanceOf(LivenessException.class);
    }

    @Test
    void serverWithoutLivenessSwallowsHeartbeatsAndSendsNone() {
        EmbeddedChannel channel = open(Heartbeats.server(null));

        channel.writeInbound(Message.Heartbeat.EMPTY, new Message.Heartbeat(7, 0));
        advance(channel, 10_000_000);
        channel.checkException();

        assertThat(sent(channel)).isEmpty();
        assertThat(channel.inboundMessages()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1000,15000", "5000,15000", "10000,30000", "300000,900000"})
    void answersARequestWithATimeoutThatSurvivesAShortPartition(int interval, int timeout) {
        var answer = Liveness.request(interval).answer();

        assertThat(answer).contains(new Liveness(interval, timeout));
        assertThat(answer.orElseThrow().answers(interval)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0", "999", "300001", "2147483647"})
    void answersAnIntervalOutOfRangeWithLegacyMode(int interval) {
        assertThat(Liveness.request(interval).answer()).isEmpty();
    }

    private static EmbeddedChannel open(Heartbeats heartbeats) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime();
        channel.pipeline().addLast(heartbeats);
        return channel;
    }

    private static void advance(EmbeddedChannel channel, long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private static List<Object> sent(EmbeddedChannel channel) {
        List<Object> sent = new ArrayList<>(channel.outboundMessages());
        channel.outboundMessages().clear();
        return sent;
    }

    /** A connection that takes nothing more. */
    private static final class StuckWrites extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            // Neither success nor failure, as when the peer's window is closed.
        }
    }
}
