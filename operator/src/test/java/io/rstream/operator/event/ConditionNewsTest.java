package io.rstream.operator.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Reason;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("parity-150")
class ConditionNewsTest {

    private static final Condition READY =
            condition(ConditionType.READY, Status.TRUE, Reason.READY, "Tunnel is ready.");
    private static final Condition WAITING =
            condition(ConditionType.READY, Status.FALSE, Reason.WAITING_FOR_DEPLOYMENT, "Waiting.");
    private static final Condition SECRET =
            condition(ConditionType.READY, Status.FALSE, Reason.SECRET_MISSING, "secret \"a\" was not found");
    private static final Condition FAILED =
            condition(ConditionType.AGENT_READY, Status.FALSE, Reason.DEPLOYMENT_FAILED, "Pod cannot start.");

    @Test
    void tellsThatAnObjectGotReady() {
        assertThat(ConditionNews.between(List.of(WAITING), List.of(READY), false))
                .containsExactly(new ConditionNews(false, "Ready", "Tunnel is ready."));
    }

    @Test
    void doesNotTellThatANewObjectWaits() {
        assertThat(ConditionNews.between(List.of(), List.of(WAITING), false)).isEmpty();
    }

    @Test
    void tellsThatAnObjectIsNotReadyAnyMoreAndWhetherThatIsWrong() {
        assertThat(ConditionNews.between(List.of(READY), List.of(WAITING), false))
                .containsExactly(new ConditionNews(false, "WaitingForDeployment", "Waiting."));
        assertThat(ConditionNews.between(List.of(READY), List.of(WAITING), true))
                .containsExactly(new ConditionNews(true, "WaitingForDeployment", "Waiting."));
        assertThat(ConditionNews.between(List.of(READY), List.of(SECRET), false))
                .containsExactly(new ConditionNews(true, "SecretMissing", "secret \"a\" was not found"));
    }

    @Test
    void tellsEachNewFailureOnce() {
        var resolved = condition(ConditionType.RESOLVED, Status.FALSE, Reason.SECRET_MISSING, "the same");

        assertThat(ConditionNews.between(List.of(WAITING), List.of(SECRET, resolved), true))
                .containsExactly(new ConditionNews(true, "SecretMissing", "secret \"a\" was not found"));
        assertThat(ConditionNews.between(List.of(SECRET, resolved), List.of(SECRET, resolved), true))
                .isEmpty();
    }

    @Test
    void tellsAFailureOfThePodBesideAReadyTunnel() {
        assertThat(ConditionNews.between(List.of(READY), List.of(READY, FAILED), false))
                .containsExactly(new ConditionNews(true, "DeploymentFailed", "Pod cannot start."));
    }

    @Test
    void doesNotTellNewWords() {
        var reworded = condition(ConditionType.READY, Status.FALSE, Reason.SECRET_MISSING, "another");

        assertThat(ConditionNews.between(List.of(SECRET), List.of(reworded), true))
                .isEmpty();
    }

    private static Condition condition(ConditionType type, Status status, Reason reason, String message) {
        return new Condition(type.code(), status, reason.code(), message, Instant.EPOCH, 1L);
    }
}
