package io.rstream.operator.connection;

import org.jspecify.annotations.Nullable;

/** What became of a connection's settings; the two kinds word it differently in their status. */
public sealed interface ConnectionResolution {

    /**
     * The settings can be used.
     *
     * @param engine engine address for agents
     * @param project where the engine was looked up; null for an explicit engine
     */
    record Resolved(String engine, @Nullable ResolvedProject project) implements ConnectionResolution {}

    /**
     * What a look-up found besides the engine, for the status of the connection.
     *
     * @param apiUrl control plane that was asked
     * @param id ID of the project, as the control plane says
     * @param endpoint endpoint of the project, as the control plane says
     * @param region region in lower case, or {@code auto}
     */
    record ResolvedProject(
            String apiUrl, @Nullable String id, @Nullable String endpoint, String region) {}

    /** The connection names no credential. */
    record CredentialMissing() implements ConnectionResolution {}

    /**
     * A Secret does not exist.
     *
     * @param secret its name
     */
    record SecretMissing(String secret) implements ConnectionResolution {}

    /**
     * A Secret lacks a key.
     *
     * @param secret its name
     * @param key the key
     */
    record KeyMissing(String secret, String key) implements ConnectionResolution {}

    /**
     * The fields contradict each other or hold values that cannot work.
     *
     * @param message what is wrong, all of it
     */
    record Invalid(String message) implements ConnectionResolution {}

    /**
     * The engine's address is being looked up.
     *
     * @param message what is asked
     * @param overdue whether it takes longer than a moment
     */
    record LookingUp(String message, boolean overdue) implements ConnectionResolution {}

    /**
     * The engine's address could not be looked up.
     *
     * @param message why
     * @param permanent whether that stays so until something is changed; else it is tried again soon
     */
    record LookUpFailed(String message, boolean permanent) implements ConnectionResolution {}
}
