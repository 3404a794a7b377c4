package io.rstream.agent.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rstream.agent.session.FailureKind;
import io.rstream.agent.session.OnlineTunnel;
import io.rstream.agent.session.TunnelEvent;
import io.rstream.agent.status.ReportRules.Decision;
import io.rstream.agent.status.TunnelStatus.Phase;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportRulesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant NOON = Instant.parse("2026-12-01T12:00:00Z");

    private static final TunnelStatus CONNECTING = TunnelStatus.of(new TunnelEvent.Connecting(), "me");
    private static final TunnelStatus ONLINE =
            TunnelStatus.of(new TunnelEvent.Online(new OnlineTunnel("t", "https://a")), "me");
    private static final TunnelStatus FAILED =
            TunnelStatus.of(new TunnelEvent.Disconnected("no such host", FailureKind.PASSING), "me");
    private static final TunnelStatus CLAIMED =
            TunnelStatus.of(new TunnelEvent.Disconnected("in use", FailureKind.CLAIMED), "me");
    private static final TunnelStatus STOPPED = TunnelStatus.of(new TunnelEvent.ShuttingDown(), "me");

    /** An object whose operator asks for the configuration "wanted", made for generation 7. */
    private static TunnelObject object(String rest) {
        try {
            return new TunnelObject(JSON.readTree("""
                    {"metadata": {"resourceVersion": "1", "generation": 9},
                     "status": {"observedGeneration": 7, "agentConfigHash": "wanted"%s}}
                    """.formatted(rest)));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static TunnelObject reported(String status, String pod, String hash) {
        return object("""
                , "conditions": [{"type": "TunnelReady", "status": "%s", "reason": "R", "message": "m",
                   "lastTransitionTime": "2026-11-30T00:00:00Z", "observedGeneration": 5}],
                  "agent": {"pod": "%s", "configHash": "%s", "generation": 5}
                """.formatted(status, pod, hash));
    }

    private static TunnelObject withNext(TunnelObject object, String pod, String hash) {
        ObjectNode changed = object.document().deepCopy();
        changed.withObject("/status/nextAgent")
                .put("pod", pod)
                .put("configHash", hash)
                .put("error", "no");
        return new TunnelObject(changed);
    }

    private static Decision decide(TunnelObject object, String hash, TunnelStatus status, boolean isNews) {
        return new ReportRules(new AgentIdentity("me", hash, "web.example.com"))
                .decide(object, status, "", isNews, NOON);
    }

    private static void assertWithdrawn(@Nullable ObjectNode next) {
        assertThat(next).isNotNull().isEmpty();
    }

    private static void assertSilent(Decision decision, boolean unsaid) {
        assertThat(decision).isEqualTo(new Decision(null, null, unsaid));
    }

    @Test
    void speaksWhereNobodyHasSpoken() {
        Decision decision = decide(object(""), "wanted", CONNECTING, true);

        assertThat(decision.unsaid()).isFalse();
        assertThat(decision.report()).isNotNull();
        assertThat(decision.report().at("/conditions/0/reason").asText()).isEqualTo("TunnelConnecting");
        assertThat(decision.report().path("agent"))
                .hasToString("{\"pod\":\"me\",\"configHash\":\"wanted\",\"generation\":7}");
    }

    @Test
    void anAgentThatIsNotOnlineLeavesTheReportOfOneThatIs() {
        TunnelObject object = reported("True", "other", "old");

        Decision decision = decide(object, "wanted", FAILED, true);

        assertThat(decision.report()).isNull();
        assertThat(decision.next())
                .hasToString("{\"nextAgent\":{\"pod\":\"me\",\"configHash\":\"wanted\",\"error\":\"no such host\"}}");
        assertThat(decision.unsaid()).isTrue();
        assertSilent(decide(object, "wanted", CONNECTING, true), true);
    }

    @Test
    void saysThatTheEngineRefusesASecondAgent() {
        Decision decision = decide(reported("True", "other", "old"), "wanted", CLAIMED, true);

        assertThat(decision.next()).isNotNull();
        assertThat(decision.next().at("/nextAgent/claimRefused").asBoolean()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "Hostname is already in use., https://web.example.com, true",
        "Hostname is already in use., https://shop.example.com, false",
        "Hostname is already in use., rstrm://shop-web (unpublished), false",
        "Tunnel name is already in use., https://shop.example.com, true"
    })
    void doesNotBlameTheServingAgentForAHostNameThatIsSomebodyElses(String error, String serving, boolean refused) {
        assertThat(isClaimRefused("web.example.com", error, serving)).isEqualTo(refused);
    }

    @ParameterizedTest
    @CsvSource({
        "Published TCP port 10001 is already in use., tcp.example.com:10001, true",
        "Published TCP port 10001 is already in use., tcp.example.com:10002, false",
        "TCP port is already in use., tcp.example.com, true"
    })
    void doesNotBlameTheServingAgentForAPortThatIsSomebodyElses(String error, String serving, boolean refused) {
        assertThat(isClaimRefused(":10001", error, serving)).isEqualTo(refused);
    }

    private static boolean isClaimRefused(String wantedAddress, String error, String serving) {
        ObjectNode object = reported("True", "other", "old").document().deepCopy();
        object.withObject("/status").put("forwardingAddress", serving);
        TunnelStatus claimed = TunnelStatus.of(new TunnelEvent.Disconnected(error, FailureKind.CLAIMED), "me");

        Decision decision = new ReportRules(new AgentIdentity("me", "wanted", wantedAddress))
                .decide(new TunnelObject(object), claimed, "", true, NOON);

        assertThat(decision.next()).isNotNull();
        return decision.next().at("/nextAgent/claimRefused").asBoolean();
    }

    @Test
    void knowsItsReportByTheMessageWhereTheFieldWasDropped() {
        TunnelObject object = object("""
                , "conditions": [{"type": "TunnelReady", "status": "True", "reason": "TunnelOnline",
                  "message": "Tunnel is online from agent pod me."}]
                """);

        assertThat(decide(object, "old", FAILED, true).report()).isNotNull();
    }

    @Test
    void aRemarkAboutATunnelThatIsStillOnlineIsNoNews() {
        TunnelStatus remark = new TunnelStatus(Phase.ONLINE, "TunnelOnline", "other words", "t", "https://a", false);
        TunnelStatus another =
                new TunnelStatus(Phase.ONLINE, "TunnelOnline", ONLINE.message(), "u", "https://a", false);

        assertThat(ReportRules.isNews(ONLINE, null)).isTrue();
        assertThat(ReportRules.isNews(ONLINE, FAILED)).isTrue();
        assertThat(ReportRules.isNews(FAILED, ONLINE)).isTrue();
        assertThat(ReportRules.isNews(another, ONLINE)).isTrue();
        assertThat(ReportRules.isNews(remark, ONLINE)).isFalse();
        assertThat(ReportRules.isNews(FAILED, FAILED)).isFalse();
    }

    @Test
    void replacesAReportThatSaysTheTunnelIsNotOnline() {
        Decision decision =
                decide(withNext(reported("False", "other", "old"), "me", "wanted"), "wanted", FAILED, false);

        assertThat(decision.report()).isNotNull();
        assertThat(decision.report().at("/agent/pod").asText()).isEqualTo("me");
        assertWithdrawn(decision.next());
    }

    @Test
    void takesOverWhenItComesOnlineAndWithdrawsWhatWasSaidBefore() {
        Decision decision =
                decide(withNext(reported("True", "other", "old"), "third", "wanted"), "wanted", ONLINE, true);

        assertThat(decision.report()).isNotNull();
        assertThat(decision.report().at("/agent/pod").asText()).isEqualTo("me");
        assertThat(decision.report().at("/conditions/0/lastTransitionTime").asText())
                .isEqualTo("2026-11-30T00:00:00Z");
        assertWithdrawn(decision.next());
    }

    @Test
    void saysNothingWhileAnEqualAgentHoldsTheReport() {
        assertSilent(decide(reported("True", "other", "wanted"), "wanted", ONLINE, false), true);
    }

    @Test
    void anAgentWithAnOldConfigurationDoesNotTakeTheReportFromOneWithTheWanted() {
        assertSilent(decide(reported("True", "other", "wanted"), "old", ONLINE, true), true);
    }

    @Test
    void anAgentWithTheWantedConfigurationTakesTheReportAlsoLater() {
        assertThat(decide(reported("True", "other", "old"), "wanted", ONLINE, false)
                        .report())
                .isNotNull();
    }

    @Test
    void takesTheReportFromAnAgentThatDoesNotSayWhatItRuns() {
        TunnelObject incumbent = object(
                ", \"conditions\": [{\"type\": \"TunnelReady\", \"status\": \"True\", \"reason\": \"TunnelOnline\"}]");

        assertThat(decide(incumbent, "wanted", ONLINE, false).report()).isNotNull();
        assertThat(decide(incumbent, "wanted", FAILED, true).report()).isNull();
    }

    @Test
    void twoWaitingAgentsDoNotTakeTurns() {
        TunnelObject object = withNext(reported("True", "other", "old"), "third", "wanted");

        assertSilent(decide(object, "wanted", FAILED, false), true);
        assertSilent(decide(object, "older", FAILED, true), true);
        assertThat(decide(object, "wanted", FAILED, true).next()).isNotNull();
    }

    @Tag("parity-130")
    @Test
    void saysGoodbyeOnlyOverItsOwnReport() {
        assertThat(decide(reported("True", "me", "wanted"), "wanted", STOPPED, true)
                        .report())
                .isNotNull();
        assertSilent(decide(reported("True", "other", "wanted"), "wanted", STOPPED, true), false);
        assertSilent(decide(object(""), "wanted", STOPPED, true), false);
        assertWithdrawn(decide(withNext(reported("True", "other", "old"), "me", "wanted"), "wanted", STOPPED, true)
                .next());
    }

    @Tag("parity-132")
    @Test
    void keepsTheGenerationThatItsConfigurationWasMadeFor() {
        ReportRules rules = new ReportRules(new AgentIdentity("me", "wanted", ""));
        rules.decide(object(""), CONNECTING, "", true, NOON);
        ObjectNode later = object("").document().deepCopy();
        later.withObject("/status").put("observedGeneration", 8).put("agentConfigHash", "newer");

        Decision decision = rules.decide(new TunnelObject(later), ONLINE, "", true, NOON);

        assertThat(decision.report()).isNotNull();
        assertThat(decision.report().at("/agent/generation").asLong()).isEqualTo(7);
        assertThat(decision.report().at("/conditions/0/observedGeneration").asLong())
                .isEqualTo(7);
    }

    @Tag("parity-132")
    @Test
    void findsItsGenerationInItsOwnEarlierReportOrLeavesItOut() {
        Decision after = decide(reported("False", "me", "old"), "old", ONLINE, true);
        Decision unknown = decide(reported("False", "other", "old"), "old", ONLINE, true);

        assertThat(after.report()).isNotNull();
        assertThat(after.report().at("/agent/generation").asLong()).isEqualTo(5);
        assertThat(unknown.report()).isNotNull();
        assertThat(unknown.report().path("agent").has("generation")).isFalse();
        assertThat(unknown.report().at("/conditions/0").has("observedGeneration"))
                .isFalse();
    }
}
