package io.rstream.process;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Named checks that together answer "ready", each with the reason it gave last. Safe for use by several threads. */
public final class Readiness {

    private record Check(boolean ready, String reason) {}

    private final Map<String, Check> checks = new TreeMap<>();

    /**
     * Sets one check.
     *
     * @param check short name, such as {@code tunnel}
     * @param ready what it says now
     * @param reason one phrase for logs, without secrets
     */
    public synchronized void set(String check, boolean ready, String reason) {
        checks.put(check, new Check(ready, reason));
    }

    /** Whether there is at least one check and all of them are ready. */
    public synchronized boolean ready() {
        return !checks.isEmpty() && checks.values().stream().allMatch(Check::ready);
    }

    /** Each check with its reason, one a line, ordered by name. */
    public synchronized String explain() {
        return checks.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue().reason())
                .collect(Collectors.joining("\n"));
    }
}
