package io.rstream.operator.status;

import io.rstream.api.v1alpha1.Condition;
import java.util.List;

/** Pure: tells a change of wording from a change of what is said. */
public final class Words {

    private Words() {}

    /** The same conditions with empty messages. */
    public static List<Condition> without(List<Condition> conditions) {
        return conditions.stream()
                .map(condition -> new Condition(
                        condition.type(),
                        condition.status(),
                        condition.reason(),
                        "",
                        condition.lastTransitionTime(),
                        condition.observedGeneration()))
                .toList();
    }
}
