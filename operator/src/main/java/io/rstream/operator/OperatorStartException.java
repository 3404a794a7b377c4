package io.rstream.operator;

/** The operator cannot start; the message is a sentence for the user. */
public final class OperatorStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OperatorStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
