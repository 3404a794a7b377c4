package io.rstream.agent.session;

import io.rstream.protocol.WireError;

/** What kind of failure ended an attempt or a session: it decides about the pause, the reason in the status, the advice. */
public enum FailureKind {
    /** It may go away by itself. */
    PASSING(false, ""),
    /** A setting of this agent cannot work; the message names it. */
    SETTING(true, ""),
    /** Another tunnel, or another agent of this one, has the name, the host name or the port. */
    CLAIMED(false, ""),
    /** The engine refuses who the agent is. */
    CREDENTIAL_REFUSED(
            true,
            "Renew the token or the certificate in the Secret of the RstreamConnection, or give it the permission to create"
                    + " tunnels."),
    /** The engine refuses what the agent asks for. */
    REQUEST_REFUSED(
            true,
            "Change the spec of the RstreamTunnel, for example choose another host name, or allow it in the settings of"
                    + " the project."),
    /** Agent and engine are of different ages. */
    VERSION_REFUSED(true, "Use an agent image and an engine that speak the same version of the protocol."),
    /** The engine does not offer what the agent asks for. */
    FEATURE_REFUSED(true, "Leave out what the engine does not offer, or use an engine or a plan that does."),
    /** Another refusal that stays. */
    OTHERWISE_REFUSED(true, "Ask who runs the engine what this error means; the agent tries again from time to time.");

    private final boolean permanent;
    private final String advice;

    FailureKind(boolean permanent, String advice) {
        this.permanent = permanent;
        this.advice = advice;
    }

    /** The kind of an engine's refusal. */
    static FailureKind of(WireError error) {
        if (error.isConflict()) {
            return CLAIMED;
        }
        if (error.retryable()) {
            return PASSING;
        }
        return switch (error.code()) {
            case WireError.UNAUTHORIZED -> CREDENTIAL_REFUSED;
            case WireError.INVALID_REQUEST -> REQUEST_REFUSED;
            case WireError.PROTOCOL_VERSION_MISSING,
                    WireError.PROTOCOL_VERSION_INVALID,
                    WireError.PROTOCOL_VERSION_INCOMPATIBLE -> VERSION_REFUSED;
            case WireError.FEATURE_NOT_AVAILABLE -> FEATURE_REFUSED;
            default -> OTHERWISE_REFUSED;
        };
    }

    /** Whether trying again without a change is of little use. */
    public boolean isPermanent() {
        return permanent;
    }

    /** Whether the engine said no, and will until something is changed. */
    public boolean isRefusal() {
        return !advice.isEmpty();
    }

    /** What to do about a refusal, as whole sentences; "" for every other kind. */
    public String advice() {
        return advice;
    }
}
