package io.rstream.operator.tunnel.children;

/** The API server does not take a child as it is wanted, or somebody else controls it; a user has to act. */
public final class ChildRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ChildRefusedException(String message) {
        super(message);
    }

    ChildRefusedException(String message, Throwable cause) {
        super(message, cause);
    }

    /** A sentence for the tunnel's status. */
    public String message() {
        return String.valueOf(getMessage());
    }
}
