package io.rstream.agent.config;

/** The configuration cannot be used; the message names the key and says what is expected. */
public final class ConfigException extends Exception {
    public ConfigException(String message) {
        super(message);
    }
}
