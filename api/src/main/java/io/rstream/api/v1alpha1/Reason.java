package io.rstream.api.v1alpha1;

/** Every reason code that a condition may carry, each with the sentence that documents it. */
public enum Reason {
    ACCEPTED("Accepted", "The spec is accepted."),
    INVALID_SPEC("InvalidSpec", "The spec contradicts itself or holds a value that cannot work."),
    CONNECTION_MISSING("ConnectionMissing", "The RstreamConnection that the tunnel refers to does not exist."),
    CONNECTION_UNRESOLVED(
            "ConnectionUnresolved",
            "The project of the RstreamConnection could not be looked up in the control plane."),
    SECRET_MISSING("SecretMissing", "A Secret, or the key of one, that the connection refers to does not exist."),
    SERVICE_MISSING("ServiceMissing", "The Service that the tunnel leads to does not exist."),
    SERVICE_PORT_MISSING(
            "ServicePortMissing",
            "The Service has no port of that name or number, or not for the protocol that the tunnel needs."),
    SERVICE_UNSUPPORTED("ServiceUnsupported", "The Service is of a kind that an agent cannot connect to."),
    ADDRESS_CONFLICT("AddressConflict", "An older tunnel holds the host name or TCP port that the tunnel asks for."),
    RESOLVED("Resolved", "Connection, Secrets and Service are found."),
    /** Declared by the API and never written, as in versions before 0.6 (operator reference, section 1.5). */
    RECONCILING("Reconciling", "The operator has begun to work on the object."),
    DEPLOYMENT_AVAILABLE("DeploymentAvailable", "The agent's pod is available."),
    DEPLOYMENT_PENDING("DeploymentPending", "The agent's pod is not available yet."),
    DEPLOYMENT_FAILED("DeploymentFailed", "The agent's pod cannot be created or does not start."),
    TUNNEL_CONNECTING("TunnelConnecting", "The agent is connecting to the engine, or has not reported yet."),
    TUNNEL_ONLINE("TunnelOnline", "The tunnel is open at the engine."),
    TUNNEL_DISCONNECTED("TunnelDisconnected", "The agent lost the engine and tries again; the message says why."),
    TUNNEL_REFUSED("TunnelRefused", "The engine refuses the agent or the tunnel until something is changed."),
    TUNNEL_STOPPED("TunnelStopped", "The agent has shut down."),
    FINALIZING("Finalizing", "The object is being deleted and its children are removed."),
    READY("Ready", "The object does what it declares."),
    TARGET_UNREACHABLE("TargetUnreachable", "The tunnel is open and the agent cannot reach the Service."),
    AGENT_UNREACHABLE("AgentUnreachable", "The pod that reported last is gone, or is not ready although it said so."),
    WAITING_FOR_TUNNEL("WaitingForTunnel", "The agent runs and the tunnel is not open yet."),
    WAITING_FOR_DEPLOYMENT("WaitingForDeployment", "The agent's pod is not available yet.");

    private final String code;
    private final String description;

    Reason(String code, String description) {
        this.code = code;
        this.description = description;
    }

    /** The text in conditions. */
    public String code() {
        return code;
    }

    /** What the code means, as one sentence. */
    public String description() {
        return description;
    }
}
