package io.rstream.api.v1alpha1;

import java.util.List;

/**
 * Every reason code that a condition may carry, each with the sentences that document it. {@code
 * docs/reference/reasons.md} is made of this enum.
 */
public enum Reason {
    ACCEPTED("Accepted", "The spec is accepted.", "Nothing.", ConditionType.ACCEPTED),
    INVALID_SPEC(
            "InvalidSpec",
            "The spec contradicts itself or holds a value that cannot work.",
            "Correct what the message names: a field of the spec, or what it refers to.",
            ConditionType.ACCEPTED,
            ConditionType.READY),
    CONNECTION_MISSING(
            "ConnectionMissing",
            "The RstreamConnection that the tunnel refers to does not exist.",
            "Create the RstreamConnection in the namespace of the tunnel, or name another one in spec.connectionRef.",
            ConditionType.RESOLVED,
            ConditionType.READY),
    CONNECTION_UNRESOLVED(
            "ConnectionUnresolved",
            "The RstreamConnection does not lead to an engine.",
            "Follow what the condition of the RstreamConnection says: check apiURL, token and the way to the control plane.",
            ConditionType.RESOLVED,
            ConditionType.READY),
    SECRET_MISSING(
            "SecretMissing",
            "A Secret, or the key of one, that the connection refers to does not exist.",
            "Create the Secret with that key in the namespace of the RstreamConnection, or correct the reference.",
            ConditionType.RESOLVED,
            ConditionType.READY),
    SERVICE_MISSING(
            "ServiceMissing",
            "The Service that the tunnel leads to does not exist.",
            "Create the Service, or correct spec.target.service.",
            ConditionType.RESOLVED,
            ConditionType.READY),
    SERVICE_PORT_MISSING(
            "ServicePortMissing",
            "The Service has no port of that name or number, or not for the protocol that the tunnel needs.",
            "Add the port to the Service, or correct spec.target.service.port; text is a name, a number is a port.",
            ConditionType.RESOLVED,
            ConditionType.READY),
    SERVICE_UNSUPPORTED(
            "ServiceUnsupported",
            "The Service is of a kind that an agent cannot connect to.",
            "Lead the tunnel to a Service that selects pods.",
            ConditionType.RESOLVED,
            ConditionType.READY),
    ADDRESS_CONFLICT(
            "AddressConflict",
            "An older tunnel holds the host name or TCP port that the tunnel asks for.",
            "Ask for another host name or port, or delete the tunnel that the message names.",
            ConditionType.RESOLVED,
            ConditionType.READY),
    RESOLVED("Resolved", "Connection, Secrets and Service are found.", "Nothing.", ConditionType.RESOLVED),
    /** Declared by the API and never written, as in versions before 0.6 (operator reference, section 1.5). */
    RECONCILING("Reconciling", "The operator has begun to work on the object.", "Nothing; this is never written."),
    DEPLOYMENT_AVAILABLE("DeploymentAvailable", "The agent's pod is available.", "Nothing.", ConditionType.AGENT_READY),
    DEPLOYMENT_PENDING(
            "DeploymentPending",
            "The newest pod of the agent is not available yet.",
            "Wait a moment; if it lasts, look at the events of the agent's pods.",
            ConditionType.AGENT_READY),
    DEPLOYMENT_FAILED(
            "DeploymentFailed",
            "The agent's pod cannot be created or does not start.",
            "Follow the message, which says what stands in the way; the events of the agent's pods say more.",
            ConditionType.AGENT_READY,
            ConditionType.READY),
    TUNNEL_CONNECTING(
            "TunnelConnecting",
            "The agent is connecting to the engine, or has not reported yet.",
            "Wait a moment; if it lasts, look at the log of the agent's pod.",
            ConditionType.TUNNEL_READY),
    TUNNEL_ONLINE("TunnelOnline", "The tunnel is open at the engine.", "Nothing.", ConditionType.TUNNEL_READY),
    TUNNEL_DISCONNECTED(
            "TunnelDisconnected",
            "The agent lost the engine and tries again; the message says why.",
            "Check that the engine runs and can be reached from the node of the agent's pod.",
            ConditionType.TUNNEL_READY),
    TUNNEL_REFUSED(
            "TunnelRefused",
            "The engine refuses the agent or the tunnel until something is changed.",
            "Correct what the engine objects to: the credentials of the RstreamConnection or the spec of the tunnel.",
            ConditionType.TUNNEL_READY),
    TUNNEL_STOPPED(
            "TunnelStopped",
            "The agent has shut down.",
            "Nothing, if the tunnel was changed; otherwise look why the agent's pod was stopped.",
            ConditionType.TUNNEL_READY),
    FINALIZING(
            "Finalizing",
            "The object is being deleted and its children are removed.",
            "Nothing; if it lasts, look at the log of the operator.",
            ConditionType.READY),
    READY("Ready", "The object does what it declares.", "Nothing.", ConditionType.READY),
    TARGET_UNREACHABLE(
            "TargetUnreachable",
            "The tunnel is open and the agent cannot reach the Service.",
            "Check that the Service has ready endpoints, and that no NetworkPolicy keeps the agent's pod from them.",
            ConditionType.READY),
    AGENT_UNREACHABLE(
            "AgentUnreachable",
            "The pod that reported last is gone, or is not ready although it said so.",
            "Look at the agent's pod and its node; a new pod takes over as soon as one can run.",
            ConditionType.READY),
    WAITING_FOR_TUNNEL(
            "WaitingForTunnel",
            "The agent runs and the tunnel is not open yet.",
            "Wait a moment; if it lasts, do what the agent's error asks for.",
            ConditionType.READY),
    WAITING_FOR_DEPLOYMENT(
            "WaitingForDeployment",
            "No agent serves the present spec yet.",
            "Wait a moment; if it lasts, look at the events of the agent's pods.",
            ConditionType.READY);

    private final String code;
    private final String description;
    private final String nextStep;

    @SuppressWarnings("ImmutableEnumChecker") // the only list it holds is that of List.of
    private final List<ConditionType> conditions;

    Reason(String code, String description, String nextStep, ConditionType... conditions) {
        this.code = code;
        this.description = description;
        this.nextStep = nextStep;
        this.conditions = List.of(conditions);
    }

    /** The text in conditions. */
    public String code() {
        return code;
    }

    /** What the code means, as one sentence. */
    public String description() {
        return description;
    }

    /** What a user does about it, as one sentence. */
    public String nextStep() {
        return nextStep;
    }

    /** The conditions of a tunnel that carry it; a connection has {@link ConditionType#READY} only. */
    public List<ConditionType> conditions() {
        return conditions;
    }

    /**
     * A message that says what to do. One that ends with a full stop says so itself and is left as it is; the short texts
     * that are part of the API have none, and the next step follows them.
     */
    public String advise(String message) {
        return message.endsWith(".") ? message : message + ". " + nextStep;
    }
}
