package io.rstream.operator.controlplane;

/** A look-up gave no project. The message is for a status: whole, without secrets, and the same for the same cause. */
public final class LookUpException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String kind;
    private final boolean permanent;

    /**
     * A failure.
     *
     * @param kind sort of failure; of several transient failures of one kind in a row only the first message counts
     * @param permanent whether asking again soon is pointless
     */
    LookUpException(String kind, boolean permanent, String message) {
        super(message);
        this.kind = kind;
        this.permanent = permanent;
    }

    /** The message, which every failure has. */
    public String sentence() {
        return String.valueOf(getMessage());
    }

    String kind() {
        return kind;
    }

    /** Whether asking again soon is pointless: something has to be changed first. */
    public boolean isPermanent() {
        return permanent;
    }
}
