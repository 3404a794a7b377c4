package io.rstream.agent.connect;

/**
 * An attempt to bring the tunnel online failed. The message is for users: it goes to the log and to the tunnel's status,
 * so it never holds a secret.
 */
public final class AttemptException extends Exception {
    private final boolean permanent;

    private AttemptException(String message, boolean permanent) {
        super(message);
        this.permanent = permanent;
    }

    /** A failure that may go away by itself. */
    public static AttemptException passing(String message) {
        return new AttemptException(message, false);
    }

    /** A failure that stays until somebody changes a setting. */
    public static AttemptException permanent(String message) {
        return new AttemptException(message, true);
    }

    /** Whether trying again without a change is of little use. */
    public boolean isPermanent() {
        return permanent;
    }
}
