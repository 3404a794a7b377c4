package io.rstream.agent.status;

import io.rstream.agent.session.FailureKind;
import io.rstream.agent.session.TunnelEvent;

/**
 * What the agent says in the status of its tunnel object: the condition TunnelReady and two fields (operator reference,
 * section 4.6). The fields are empty unless the tunnel is online.
 *
 * @param phase what the reasons have in common
 * @param reason reason of the condition
 * @param message message of the condition, at most 1024 characters
 * @param tunnelId identifier, or "" for none
 * @param forwardingAddress address, or "" for none
 * @param claimRefused whether the engine says that another tunnel or agent has the name, the host name or the port
 */
record TunnelStatus(
        Phase phase, String reason, String message, String tunnelId, String forwardingAddress, boolean claimRefused) {
    /** Where the agent stands. */
    enum Phase {
        CONNECTING,
        ONLINE,
        FAILED,
        STOPPED
    }

    TunnelStatus {
        message = TunnelObject.bounded(message);
    }

    /** Status of the condition. */
    boolean ready() {
        return phase == Phase.ONLINE;
    }

    /** The status for an event; {@code pod} is the agent's pod or "". */
    static TunnelStatus of(TunnelEvent event, String pod) {
        return switch (event) {
            case TunnelEvent.Connecting _ ->
                notReady(Phase.CONNECTING, "TunnelConnecting", "Tunnel agent is connecting to rstream.", false);
            case TunnelEvent.Online online ->
                new TunnelStatus(
                        Phase.ONLINE,
                        "TunnelOnline",
                        onlineFrom(pod) + problem(online.credentialProblem()),
                        online.tunnel().tunnelId(),
                        online.tunnel().forwardingAddress(),
                        false);
            case TunnelEvent.Disconnected(String error, FailureKind kind)
            when kind.isRefusal() -> notReady(Phase.FAILED, "TunnelRefused", error + " " + kind.advice(), false);
            case TunnelEvent.Disconnected(String error, FailureKind kind) ->
                notReady(
                        Phase.FAILED,
                        "TunnelDisconnected",
                        error.isBlank() ? "Tunnel is disconnected." : error,
                        kind == FailureKind.CLAIMED);
            case TunnelEvent.ShuttingDown _ ->
                notReady(Phase.STOPPED, "TunnelStopped", "Tunnel agent is shutting down.", false);
        };
    }

    /** The message of a tunnel that is online; {@code pod} is the agent's pod or "". */
    static String onlineFrom(String pod) {
        return pod.isEmpty() ? "Tunnel is online." : "Tunnel is online from agent pod " + pod + ".";
    }

    private static String problem(String error) {
        return error.isEmpty()
                ? ""
                : " The changed credentials do not work, so the previous ones stay in use: " + error
                        + (error.endsWith(".") ? "" : ".")
                        + " Put working ones into the Secret of the RstreamConnection.";
    }

    private static TunnelStatus notReady(Phase phase, String reason, String message, boolean claimRefused) {
        return new TunnelStatus(phase, reason, message, "", "", claimRefused);
    }
}
