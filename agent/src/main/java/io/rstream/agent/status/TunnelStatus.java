package io.rstream.agent.status;

import io.rstream.agent.session.TunnelEvent;

/**
 * What the agent says in the status of its tunnel object: the condition TunnelReady and two fields (operator reference,
 * section 4.6). The fields are empty unless the tunnel is online.
 *
 * @param ready status of the condition
 * @param reason reason of the condition
 * @param message message of the condition, at most 1024 characters
 * @param tunnelId identifier, or "" for none
 * @param forwardingAddress address, or "" for none
 */
record TunnelStatus(boolean ready, String reason, String message, String tunnelId, String forwardingAddress) {
    private static final int MAXIMUM_MESSAGE = 1_024;

    TunnelStatus {
        message = message.length() <= MAXIMUM_MESSAGE ? message : message.substring(0, MAXIMUM_MESSAGE);
    }

    /** The status for an event; {@code pod} is the agent's pod or "". */
    static TunnelStatus of(TunnelEvent event, String pod) {
        return switch (event) {
            case TunnelEvent.Connecting _ -> notReady("TunnelConnecting", "Tunnel agent is connecting to rstream.");
            case TunnelEvent.Online online ->
                new TunnelStatus(
                        true,
                        "TunnelOnline",
                        pod.isEmpty() ? "Tunnel is online." : "Tunnel is online from agent pod " + pod + ".",
                        online.tunnel().tunnelId(),
                        online.tunnel().forwardingAddress());
            case TunnelEvent.Disconnected lost
            when lost.kind().isRefusal() ->
                notReady("TunnelRefused", lost.error() + " " + lost.kind().advice());
            case TunnelEvent.Disconnected lost ->
                notReady("TunnelDisconnected", lost.error().isBlank() ? "Tunnel is disconnected." : lost.error());
            case TunnelEvent.ShuttingDown _ -> notReady("TunnelStopped", "Tunnel agent is shutting down.");
        };
    }

    private static TunnelStatus notReady(String reason, String message) {
        return new TunnelStatus(false, reason, message, "", "");
    }
}
