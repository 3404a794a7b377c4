package io.rstream.api.v1alpha1;

/** The conditions that the two kinds carry; a connection has only {@link #READY}. */
public enum ConditionType {
    /** The object does what it declares; sums up the others. */
    READY("Ready"),
    /** The spec makes sense. Written by the operator. */
    ACCEPTED("Accepted"),
    /** Connection, Secrets and Service were found. Written by the operator. */
    RESOLVED("Resolved"),
    /** The agent's pod runs. Written by the operator. */
    AGENT_READY("AgentReady"),
    /** The tunnel is open at the engine. Written by the agent. */
    TUNNEL_READY("TunnelReady");

    private final String code;

    ConditionType(String code) {
        this.code = code;
    }

    /** The text in documents. */
    public String code() {
        return code;
    }
}
