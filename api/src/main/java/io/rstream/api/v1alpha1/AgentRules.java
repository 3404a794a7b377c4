package io.rstream.api.v1alpha1;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the maps of an agent's pod must look like for the API server to accept the pod. Pure. Labels that the operator sets
 * itself are no error here: its own values win.
 */
final class AgentRules {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");
    private static final Pattern PREFIX =
            Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");
    private static final int LONGEST_PREFIX = 253;

    private AgentRules() {}

    static void check(@Nullable AgentSettings agent, List<Violation> found) {
        if (agent == null) {
            return;
        }
        checkLabels("podLabels", agent.podLabels(), found);
        checkLabels("nodeSelector", agent.nodeSelector(), found);
        agent.podAnnotations().keySet().forEach(key -> checkKey("podAnnotations", key, found));
    }

    private static void checkLabels(String field, Map<String, String> labels, List<Violation> found) {
        labels.forEach((key, value) -> {
            checkKey(field, key, found);
            var text = Objects.requireNonNullElse(value, "");
            if (!text.isEmpty() && !NAME.matcher(text).matches()) {
                found.add(Violation.quoting(
                        path(field, key),
                        "a value of %s has at most 63 of A-Z, a-z, 0-9, '-', '_' and '.', and begins and ends with a letter or digit"
                                .formatted(field),
                        text));
            }
        });
    }

    private static void checkKey(String field, String key, List<Violation> found) {
        var slash = key.indexOf('/');
        var prefixIsFine = slash < 0
                || (slash <= LONGEST_PREFIX
                        && PREFIX.matcher(key.substring(0, slash)).matches());
        if (!prefixIsFine || !NAME.matcher(key.substring(slash + 1)).matches()) {
            found.add(new Violation(
                    path(field, key),
                    "a key of %s is a name of at most 63 of A-Z, a-z, 0-9, '-', '_' and '.', after an optional DNS name and '/'"
                            .formatted(field)));
        }
    }

    private static String path(String field, String key) {
        return "spec.agent.%s[\"%s\"]".formatted(field, key);
    }
}
