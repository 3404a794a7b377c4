package io.rstream.protocol;

import java.net.InetAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One message of the protocol, one record for each wire message (rstream protocol, section 6). A component that is not
 * nullable is always present: where the wire left it out, it holds the empty value.
 */
public sealed interface Message {

    /**
     * First message of a control connection: who the client is.
     *
     * @param client identity and credential
     * @param liveness the heartbeat interval wanted (its time-out is 0), or null when the client sends no heartbeats
     */
    record OpenControlChannelRequest(
            ClientDetails client, @Nullable Liveness liveness) implements Message {}

    /**
     * The engine's consent to a control connection.
     *
     * @param clientId the engine's name for this session, shown in inventories
     * @param server what the engine says about itself, or null
     * @param liveness the liveness in force (bounded mode), or null (legacy mode or no heartbeats)
     */
    record OpenControlChannelAccepted(
            String clientId,
            @Nullable ServerDetails server,
            @Nullable Liveness liveness) implements Message {}

    /** The engine's refusal of a control connection; an answer without any content is read as a refusal with code 0. */
    record OpenControlChannelRefused(WireError error) implements Message {}

    /** The client asks to end the session in order. */
    record CloseControlChannelRequest() implements Message {}

    /** The engine confirms the end of the session, or announces it unasked. */
    record CloseControlChannelResponse() implements Message {}

    /**
     * The client asks for a tunnel.
     *
     * @param requestId chosen by the client; the answer repeats it unread
     * @param properties what the tunnel should be; read-only properties are null
     */
    record OpenTunnelRequest(String requestId, TunnelProperties properties) implements Message {}

    /**
     * The tunnel exists.
     *
     * @param requestId of the request
     * @param properties the effective properties; an engine always sets the id
     */
    record OpenTunnelAccepted(String requestId, TunnelProperties properties) implements Message {}

    /** The tunnel was refused; an answer with neither properties nor error is read as a refusal with code 0. */
    record OpenTunnelRefused(String requestId, WireError error) implements Message {}

    /** The client closes one tunnel. */
    record CloseTunnelRequest(String tunnelId) implements Message {}

    /** The engine confirms that a tunnel is closed, or closes it unasked. */
    record CloseTunnelResponse(String tunnelId) implements Message {}

    /**
     * The engine asks the agent to call back for one stream (section 11).
     *
     * @param tunnelId the tunnel that the stream belongs to
     * @param streamId the engine's name for the stream; a client treats an empty one as a protocol failure
     * @param secret what the agent must present, or null when none is asked for
     * @param sourceAddress the address of the public client or dialer, or null when unknown
     * @param proxyEndpoint {@code host:port} to call instead of the usual engine address, or null
     */
    record ProxyConnectionRequest(
            String tunnelId,
            String streamId,
            @Nullable String secret,
            @Nullable InetAddress sourceAddress,
            @Nullable String proxyEndpoint)
            implements Message {
        /** Leaves the secret out. */
        @Override
        public String toString() {
            return "ProxyConnectionRequest[tunnelId=%s, streamId=%s, sourceAddress=%s, proxyEndpoint=%s]"
                    .formatted(tunnelId, streamId, sourceAddress, proxyEndpoint);
        }
    }

    /** The agent's answer on the control connection; a null error means that the stream is being served. */
    record ProxyConnectionResponse(
            String streamId, @Nullable WireError error) implements Message {}

    /**
     * First message of the agent's connection for one stream.
     *
     * @param client identity; its token is the stream's secret
     * @param streamId of the request
     * @param zeroRtt true when raw bytes follow at once and no {@link ProxyResponse} is read
     */
    record ProxyRequest(ClientDetails client, String streamId, boolean zeroRtt) implements Message {}

    /** The engine's answer to {@link ProxyRequest} where zero-RTT is off; a null error means go ahead. */
    record ProxyResponse(@Nullable WireError error) implements Message {}

    /**
     * First message of a dialer's connection to a tunnel (section 12).
     *
     * @param client identity with the dialer's token
     * @param tunnel id or name of the tunnel
     * @param zeroRtt true when raw bytes follow at once and no answer is read
     * @param datagramChannel true asks for a QUIC datagram channel
     */
    record StreamRequest(ClientDetails client, String tunnel, boolean zeroRtt, boolean datagramChannel)
            implements Message {}

    /** The engine's consent to a dial. */
    record StreamAccepted(String streamId) implements Message {}

    /** The engine's refusal of a dial; an answer without any content is read as a refusal with code 0. */
    record StreamRefused(WireError error) implements Message {}

    /**
     * A sign of life (section 10.2).
     *
     * @param sequence unsigned; set by the client from 1 upwards, 0 otherwise
     * @param acknowledgement unsigned; set by the engine to the sequence that it answers, 0 otherwise
     */
    record Heartbeat(long sequence, long acknowledgement) implements Message {
        /** The heartbeat without content of the legacy mode. */
        public static final Heartbeat EMPTY = new Heartbeat(0, 0);
    }

    /** Free text from the engine; clients do not act on it. */
    record ServerMessage(String text) implements Message {}

    /** Either side ends a datagram channel; the error is an optional reason. */
    record DatagramChannelClose(String streamId, @Nullable WireError error) implements Message {}

    /** An empty message, or one of a kind that this version does not know. */
    record Unknown() implements Message {}

    /** A short name for logs: the record's own name, never its content. */
    default String kind() {
        return Objects.requireNonNull(getClass().getSimpleName());
    }
}
