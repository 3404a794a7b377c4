package io.rstream.api.v1alpha1;

/** Names that both kinds, their children and their tools agree on; each is written here once. */
public final class WellKnown {

    /** API group of both kinds. */
    public static final String GROUP = "tunnels.rstream.io";

    /** The one version of the group. */
    public static final String VERSION = "v1alpha1";

    /** {@code apiVersion} of both kinds. */
    public static final String API_VERSION = GROUP + "/" + VERSION;

    /** Finalizer that keeps a tunnel until its children are gone. */
    public static final String FINALIZER = "tunnels.rstream.io/finalizer";

    /** Field manager of the operator's server-side apply, for children and for its part of the status. */
    public static final String FIELD_MANAGER_OPERATOR = "rstream-operator";

    /** Field manager of the agent's server-side apply, for its part of a tunnel's status. */
    public static final String FIELD_MANAGER_AGENT = "rstream-agent";

    /** Field manager of an agent that is to take over, for its word in a tunnel's status. */
    public static final String FIELD_MANAGER_NEXT_AGENT = "rstream-agent-next";

    /** Name of the connection that a tunnel uses when it names none. */
    public static final String DEFAULT_CONNECTION = "default";

    /** Control plane that a connection uses when it names none. */
    public static final String DEFAULT_API_URL = "https://rstream.io";

    /** Standard label: name of the application; value {@value #APPLICATION_NAME} on every child. */
    public static final String LABEL_NAME = "app.kubernetes.io/name";

    /** Standard label: the child base name. */
    public static final String LABEL_INSTANCE = "app.kubernetes.io/instance";

    /** Standard label: {@code config}, {@code agent-rbac} or {@code agent}. */
    public static final String LABEL_COMPONENT = "app.kubernetes.io/component";

    /** Standard label: value {@value #APPLICATION_NAME} on every child. */
    public static final String LABEL_MANAGED_BY = "app.kubernetes.io/managed-by";

    /** Standard label: value {@value #PART_OF} on every child. */
    public static final String LABEL_PART_OF = "app.kubernetes.io/part-of";

    /** Label with the name of the tunnel that a child belongs to. */
    public static final String LABEL_TUNNEL_NAME = "rstream.io/tunnel-name";

    /** Label with the namespace of the tunnel that a child belongs to. */
    public static final String LABEL_TUNNEL_NAMESPACE = "rstream.io/tunnel-namespace";

    /** Label with the UID of the tunnel that a child belongs to. */
    public static final String LABEL_TUNNEL_UID = "rstream.io/tunnel-uid";

    /** Value of {@link #LABEL_NAME} and {@link #LABEL_MANAGED_BY}. */
    public static final String APPLICATION_NAME = "rstream-operator";

    /** Value of {@link #LABEL_PART_OF}. */
    public static final String PART_OF = "rstream";

    /** Value of {@link #LABEL_COMPONENT} on the ConfigMap. */
    public static final String COMPONENT_CONFIG = "config";

    /** Value of {@link #LABEL_COMPONENT} on ServiceAccount, Role and RoleBinding. */
    public static final String COMPONENT_RBAC = "agent-rbac";

    /** Value of {@link #LABEL_COMPONENT} on the Deployment and its pods. */
    public static final String COMPONENT_AGENT = "agent";

    /** Annotation of the pod template whose change rolls the agent. */
    public static final String ANNOTATION_CONFIG_HASH = "rstream.io/config-hash";

    /** Tunnel label sent to rstream: value {@code kubernetes-operator}. */
    public static final String TUNNEL_LABEL_MANAGED_BY = "rstream.managed-by";

    /** Tunnel label sent to rstream: value {@code kubernetes}. */
    public static final String TUNNEL_LABEL_SOURCE = "rstream.source";

    /** Tunnel label sent to rstream: namespace of the RstreamTunnel. */
    public static final String TUNNEL_LABEL_NAMESPACE = "rstream.kubernetes.namespace";

    /** Tunnel label sent to rstream: name of the RstreamTunnel. */
    public static final String TUNNEL_LABEL_NAME = "rstream.kubernetes.name";

    /** Tunnel label sent to rstream: UID of the RstreamTunnel. */
    public static final String TUNNEL_LABEL_UID = "rstream.kubernetes.uid";

    private WellKnown() {}
}
