package io.rstream.agent.session;

import io.rstream.protocol.Liveness;
import java.time.Duration;

/**
 * Limits of one session; nothing waits without an end (rstream protocol, section 23).
 *
 * @param connect for name, TCP, proxy and TLS of the control channel
 * @param answer for the engine's answer to an opening request
 * @param close for the engine's answer to a closing request
 * @param drain for open streams to end when the agent shuts down, or when another session has taken over
 * @param heartbeatMillis interval of heartbeats, 1000 to 300000 ms
 */
public record SessionTimings(Duration connect, Duration answer, Duration close, Duration drain, int heartbeatMillis) {
    /** What agents use; close and drain together stay below the 30 s that Kubernetes gives a pod. */
    public static final SessionTimings DEFAULT = new SessionTimings(
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofSeconds(3),
            Duration.ofSeconds(15),
            Liveness.DEFAULT_INTERVAL_MILLIS);

    /** The longest time that an orderly end may take. */
    public Duration longestClose() {
        return close.multipliedBy(2).plus(drain);
    }
}
