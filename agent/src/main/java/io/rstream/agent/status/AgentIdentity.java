package io.rstream.agent.status;

/**
 * Who speaks in a report.
 *
 * @param pod name of the agent's pod, or "" outside of one
 * @param configHash hash of the configuration that the agent runs
 */
public record AgentIdentity(String pod, String configHash) {}
