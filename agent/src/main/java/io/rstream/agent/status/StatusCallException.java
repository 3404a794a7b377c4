package io.rstream.agent.status;

/** The API server answered a status call with something else than success. */
final class StatusCallException extends Exception {
    private final int status;

    StatusCallException(int status, String message) {
        super("API server answered " + status + (message.isBlank() ? "" : ": " + message));
        this.status = status;
    }

    /** Whether the object has changed since it was read. */
    boolean isConflict() {
        return status == 409;
    }

    /** Whether the answer stays the same until somebody creates or permits something. */
    boolean isLasting() {
        return status == 401 || status == 403 || status == 404;
    }
}
