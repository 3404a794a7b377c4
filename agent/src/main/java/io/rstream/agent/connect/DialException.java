package io.rstream.agent.connect;

import java.io.IOException;

/** A connection could not be made; the message names the other end and the cause, {@code dial web:80: timed out}. */
public final class DialException extends IOException {
    private final boolean timeout;

    DialException(String message, boolean timeout) {
        super(message);
        this.timeout = timeout;
    }

    /** Whether time ran out, as opposed to an answer that said no. */
    public boolean isTimeout() {
        return timeout;
    }
}
