package io.rstream.engine.agents;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Whether somebody is let in. */
public sealed interface AuthenticationOutcome {
    /**
     * Yes, as this identity.
     *
     * @param expiry when the credential ends, or null for never
     */
    record Admitted(Identity identity, @Nullable Instant expiry) implements AuthenticationOutcome {}

    /** No; the reason may be shown to the client. */
    record Denied(String reason) implements AuthenticationOutcome {}
}
