package io.rstream.operator.connection;

/** What became of a connection's settings; the two kinds word it differently in their status. */
public sealed interface ConnectionResolution {

    /**
     * The settings can be used.
     *
     * @param engine engine address for agents
     */
    record Resolved(String engine) implements ConnectionResolution {}

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
     * The engine's address would have to be looked up.
     *
     * @param message why that did not give one
     */
    record LookUpFailed(String message) implements ConnectionResolution {}
}
