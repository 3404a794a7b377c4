package io.rstream.agent.status;

import io.rstream.agent.config.AgentConfig.Tunnel;

/**
 * Who speaks in a report.
 *
 * @param pod name of the agent's pod, or "" outside of one
 * @param configHash hash of the configuration that the agent runs
 * @param wantedAddress host name or {@code :port} that the agent asks the engine for, or "" when it leaves that to the engine
 */
public record AgentIdentity(String pod, String configHash, String wantedAddress) {
    /** The agent of a pod that runs this configuration. */
    public static AgentIdentity of(String pod, String configHash, Tunnel tunnel) {
        String hostname = tunnel.hostname() == null ? "" : tunnel.hostname().strip();
        String port = tunnel.tcpPort() == null ? "" : ":" + tunnel.tcpPort();
        return new AgentIdentity(pod, configHash, hostname.isEmpty() ? port : hostname);
    }
}
