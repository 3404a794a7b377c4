package io.rstream.api.v1alpha1;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Pure answers and merges on a list of conditions, which holds at most one of each type. */
public final class Conditions {

    private Conditions() {}

    /** The condition of that type, if the list has one. */
    public static Optional<Condition> find(List<Condition> conditions, ConditionType type) {
        return conditions.stream().filter(condition -> condition.is(type)).findFirst();
    }

    /** Whether the list has a condition of that type with status True. */
    public static boolean isTrue(List<Condition> conditions, ConditionType type) {
        return find(conditions, type)
                .filter(condition -> condition.status() == Condition.Status.TRUE)
                .isPresent();
    }

    /**
     * The next condition of a type, given the present ones: the transition time is kept unless the status flips, reason,
     * message and generation are always the new ones. A message beyond the limit is cut.
     *
     * @param generation generation of the object that was judged
     * @param now time of a flip
     */
    public static Condition next(
            List<Condition> present,
            ConditionType type,
            Condition.Status status,
            Reason reason,
            String message,
            long generation,
            Instant now) {
        var since = find(present, type)
                .filter(condition -> condition.status() == status)
                .map(Condition::lastTransitionTime)
                .orElse(now);
        return new Condition(type.code(), status, reason.code(), cut(message), since, generation);
    }

    /** A copy of the list in which the condition replaces the one of its type, or is appended. */
    public static List<Condition> put(List<Condition> conditions, Condition condition) {
        var merged = new ArrayList<Condition>(conditions.size() + 1);
        var replaced = false;
        for (var present : conditions) {
            var same = present.type().equals(condition.type());
            merged.add(same ? condition : present);
            replaced |= same;
        }
        if (!replaced) {
            merged.add(condition);
        }
        return List.copyOf(merged);
    }

    private static String cut(String message) {
        return message.length() <= Condition.MESSAGE_LIMIT
                ? message
                : message.substring(0, Condition.MESSAGE_LIMIT - 1) + "…";
    }
}
