package io.rstream.operator.event;

import io.rstream.api.v1alpha1.Condition;
import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Pure: what is worth an Event when the conditions of an object change. Each change of Ready is, and each failure of
 * another condition that Ready does not tell of already. That a new object waits for its agent is not news, nor is a change
 * of wording.
 *
 * @param warning whether something is wrong
 * @param reason reason of the condition
 * @param message message of the condition
 */
record ConditionNews(boolean warning, String reason, String message) {

    private static final List<ConditionType> OTHERS =
            List.of(ConditionType.ACCEPTED, ConditionType.RESOLVED, ConditionType.AGENT_READY);

    /** Reasons of conditions that do not hold although nothing is wrong. */
    private static final Set<String> PROGRESS = Set.of(
            Reason.WAITING_FOR_DEPLOYMENT.code(),
            Reason.WAITING_FOR_TUNNEL.code(),
            Reason.DEPLOYMENT_PENDING.code(),
            Reason.FINALIZING.code());

    /**
     * The news.
     *
     * @param hasError whether the status names an error beside its conditions
     */
    static List<ConditionNews> between(List<Condition> before, List<Condition> after, boolean hasError) {
        List<ConditionNews> news = new ArrayList<>();
        var ready = Conditions.find(after, ConditionType.READY);
        ready.filter(condition -> isNews(before, condition))
                .ifPresent(condition -> news.add(
                        of(condition, isFailure(condition) || (hasError && condition.status() != Status.TRUE))));
        for (var type : OTHERS) {
            Conditions.find(after, type)
                    .filter(condition -> changed(before, condition) && isFailure(condition))
                    .filter(condition -> ready.filter(sum -> sum.reason().equals(condition.reason()))
                            .isEmpty())
                    .ifPresent(condition -> news.add(of(condition, true)));
        }
        return List.copyOf(news);
    }

    private static boolean isNews(List<Condition> before, Condition ready) {
        if (!changed(before, ready)) {
            return false;
        }
        var wasTrue = Conditions.isTrue(before, ConditionType.READY);
        return ready.status() == Status.TRUE || wasTrue || isFailure(ready);
    }

    private static boolean changed(List<Condition> before, Condition now) {
        return before.stream()
                .filter(condition -> condition.type().equals(now.type()))
                .noneMatch(condition ->
                        condition.status() == now.status() && condition.reason().equals(now.reason()));
    }

    private static boolean isFailure(Condition condition) {
        return condition.status() == Status.FALSE && !PROGRESS.contains(condition.reason());
    }

    private static ConditionNews of(Condition condition, boolean warning) {
        return new ConditionNews(warning, condition.reason(), condition.message());
    }
}
