package io.rstream.operator.controlplane;

import io.javaoperatorsdk.operator.processing.event.ResourceID;

/** What is known about the projects of connections. Asking is free: nothing is looked up. */
@FunctionalInterface
public interface ProjectAnswers {

    /** Nothing is known, and it has been so for a while. */
    ProjectAnswers NONE = (_, _) -> new Answer.Pending(true);

    /**
     * What is known.
     *
     * @param connection the connection
     * @param target what it asks for now; an answer to another question does not count
     */
    Answer of(ResourceID connection, LookUpTarget target);

    /** What a connection's look-up came to. */
    sealed interface Answer {

        /**
         * The project is known.
         *
         * @param project the project
         */
        record Found(Project project) implements Answer {}

        /**
         * The look-up is pointless until something is changed.
         *
         * @param message why
         */
        record Refused(String message) implements Answer {}

        /**
         * No answer came yet; it is tried again.
         *
         * @param message why not
         */
        record Failed(String message) implements Answer {}

        /**
         * The look-up is under way or has not begun.
         *
         * @param overdue whether it takes longer than a moment
         */
        record Pending(boolean overdue) implements Answer {}
    }
}
