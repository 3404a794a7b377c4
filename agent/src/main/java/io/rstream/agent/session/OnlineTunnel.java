package io.rstream.agent.session;

/**
 * A tunnel that the engine has opened.
 *
 * @param tunnelId the engine's identifier
 * @param forwardingAddress where it is reachable, as text for people (operator reference, A.4)
 */
public record OnlineTunnel(String tunnelId, String forwardingAddress) {}
