package io.rstream.engine.config;

/** The configuration cannot be used; the message names file, key, value and what is expected. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    /** With a message for the person who edits the file. */
    public ConfigException(String message) {
        super(message);
    }
}
