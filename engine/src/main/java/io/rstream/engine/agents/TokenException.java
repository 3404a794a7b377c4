package io.rstream.engine.agents;

/** A token is not valid; the message says why and never quotes it. */
public final class TokenException extends Exception {
    private static final long serialVersionUID = 1L;

    TokenException(String message) {
        super(message);
    }
}
