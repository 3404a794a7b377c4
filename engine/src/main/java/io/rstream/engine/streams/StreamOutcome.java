package io.rstream.engine.streams;

import io.netty.channel.Channel;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.protocol.WireError;

/** How the request for a stream ended. */
public sealed interface StreamOutcome {
    /**
     * The agent called back.
     *
     * @param channel raw, auto-read off; bytes that came early are held in its pipeline. The receiver closes it
     * @param streamId for logs
     * @param tunnel the claim whose agent it is
     */
    record Joined(Channel channel, String streamId, Tunnel tunnel) implements StreamOutcome {}

    /** The agent said that it will not serve the stream. */
    record Refused(WireError error) implements StreamOutcome {}

    /** The agent did not call back in time. */
    record TimedOut() implements StreamOutcome {}

    /** The session of the agent ended, or does not take requests. */
    record AgentLost() implements StreamOutcome {}

    /** The agent closed the tunnel before it called back. */
    record TunnelClosed() implements StreamOutcome {}

    /** A limit of the engine is reached. */
    record Saturated() implements StreamOutcome {}

    /** The asker gave up. */
    record Abandoned() implements StreamOutcome {}
}
