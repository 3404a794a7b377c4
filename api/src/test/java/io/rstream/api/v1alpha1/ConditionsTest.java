package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ConditionsTest {

    private static final Instant EARLIER = Instant.parse("2026-12-01T10:00:00Z");
    private static final Instant NOW = Instant.parse("2026-12-01T11:00:00.5Z");
    private static final Condition READY =
            new Condition("Ready", Condition.Status.TRUE, "Ready", "Tunnel is ready.", EARLIER, 1L);

    @Test
    @Tag("parity-41")
    void keepsTheTransitionTimeWhileTheStatusStays() {
        var next = next(Condition.Status.TRUE, Reason.TUNNEL_ONLINE, "still", 2);

        assertThat(next).isEqualTo(new Condition("Ready", Condition.Status.TRUE, "TunnelOnline", "still", EARLIER, 2L));
    }

    @Test
    @Tag("parity-41")
    void takesTheTimeOfAFlipInWholeSeconds() {
        var next = next(Condition.Status.FALSE, Reason.WAITING_FOR_TUNNEL, "waiting", 2);

        assertThat(next.lastTransitionTime()).isEqualTo(Instant.parse("2026-12-01T11:00:00Z"));
    }

    @Test
    void takesTheTimeOfTheFirstAppearance() {
        var next = Conditions.next(
                List.of(READY), ConditionType.RESOLVED, Condition.Status.TRUE, Reason.RESOLVED, "", 1, NOW);

        assertThat(next.lastTransitionTime()).isEqualTo(Instant.parse("2026-12-01T11:00:00Z"));
    }

    @Test
    void cutsMessagesThatTheApiServerWouldRefuse() {
        var next = next(Condition.Status.FALSE, Reason.TUNNEL_DISCONNECTED, "x".repeat(40_000), 1);

        assertThat(next.message()).hasSize(Condition.MESSAGE_LIMIT).endsWith("x…");
    }

    @Test
    void replacesTheConditionOfTheSameTypeInItsPlace() {
        var accepted = new Condition("Accepted", Condition.Status.TRUE, "Accepted", "", EARLIER, 1L);
        var other = new Condition("Ready", Condition.Status.FALSE, "Finalizing", "", EARLIER, 1L);

        var merged = Conditions.put(List.of(READY, accepted), other);

        assertThat(merged).containsExactly(other, accepted);
    }

    @Test
    void appendsAConditionOfANewType() {
        var accepted = new Condition("Accepted", Condition.Status.TRUE, "Accepted", "", EARLIER, 1L);

        var merged = Conditions.put(List.of(READY), accepted);

        assertThat(merged).containsExactly(READY, accepted);
    }

    @Test
    void isTrueOnlyForAConditionThatHolds() {
        var unknown = new Condition("Resolved", Condition.Status.UNKNOWN, "Reconciling", "", EARLIER, 1L);

        assertThat(Conditions.isTrue(List.of(READY, unknown), ConditionType.READY))
                .isTrue();
        assertThat(Conditions.isTrue(List.of(READY, unknown), ConditionType.RESOLVED))
                .isFalse();
        assertThat(Conditions.isTrue(List.of(READY, unknown), ConditionType.ACCEPTED))
                .isFalse();
    }

    @Test
    @Tag("parity-90")
    void namesTheDocumentedTypesAndReasons() {
        assertThat(Stream.of(ConditionType.values()).map(ConditionType::code))
                .containsExactlyInAnyOrder("Ready", "Accepted", "Resolved", "AgentReady", "TunnelReady");
        assertThat(Stream.of(Reason.values()).map(Reason::code))
                .doesNotHaveDuplicates()
                .contains(
                        "Accepted",
                        "InvalidSpec",
                        "ConnectionMissing",
                        "SecretMissing",
                        "ServiceMissing",
                        "ServicePortMissing",
                        "Resolved",
                        "Reconciling",
                        "DeploymentAvailable",
                        "DeploymentPending",
                        "TunnelConnecting",
                        "TunnelOnline",
                        "TunnelDisconnected",
                        "Finalizing",
                        "Ready",
                        "WaitingForTunnel",
                        "WaitingForDeployment");
    }

    @Test
    void describesEachReasonInOneSentence() {
        assertThat(Reason.values()).allSatisfy(reason -> {
            assertThat(reason.code()).matches("[A-Z][A-Za-z]+");
            assertThat(reason.description()).matches("[A-Z][^.]*\\.");
            assertThat(reason.nextStep()).matches("[A-Z].*[^.]\\.");
        });
    }

    @Test
    void addsTheNextStepToMessagesThatAreNotSentences() {
        assertThat(Reason.SERVICE_MISSING.advise("service \"web\" was not found in namespace \"demo\""))
                .isEqualTo("service \"web\" was not found in namespace \"demo\". Create the Service, or correct"
                        + " spec.target.service.");
        assertThat(Reason.SERVICE_MISSING.advise("Make one.")).isEqualTo("Make one.");
    }

    private static Condition next(Condition.Status status, Reason reason, String message, long generation) {
        return Conditions.next(List.of(READY), ConditionType.READY, status, reason, message, generation, NOW);
    }
}
