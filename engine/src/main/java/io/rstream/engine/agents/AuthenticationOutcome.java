package io.rstream.engine.agents;

/** Whether somebody is let in. */
public sealed interface AuthenticationOutcome {
    /** Yes, as this identity. */
    record Admitted(Identity identity) implements AuthenticationOutcome {}

    /** No; the reason may be shown to the client. */
    record Denied(String reason) implements AuthenticationOutcome {}
}
