package io.rstream.e2e.node;

/** Something that a container needs is not there yet; reason and message are those that a kubelet would show. */
final class NotYetException extends Exception {

    private final String reason;

    private NotYetException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** For environment variables. */
    static NotYetException environment(String message) {
        return new NotYetException("CreateContainerConfigError", message);
    }

    /** For volumes. */
    static NotYetException volume(String name, String message) {
        return new NotYetException(
                "ContainerCreating", "MountVolume.SetUp failed for volume \"%s\" : %s".formatted(name, message));
    }

    String reason() {
        return reason;
    }
}
