package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Service and how it is reached from outside. The rules across fields have their messages in {@link TunnelRules};
 * what an absent field means is answered by the methods.
 *
 * @param connectionRef connection in the tunnel's namespace
 * @param target the Service
 * @param tunnelName name registered in rstream
 * @param publish whether the edge exposes the tunnel
 * @param protocol what callers speak
 * @param type bytes or packets; inferred when absent
 * @param datagramGuaranteedDelivery reliable packets
 * @param allowCrossRegionRouting whether payload may cross regions
 * @param hostname public host name; even an empty one counts as set
 * @param tcpPort reserved public port, 1 to 65535
 * @param labels inventory labels sent to rstream
 * @param upstreamTLS whether the Service speaks TLS
 * @param trustedIPs source addresses and CIDR ranges that may call
 * @param geoip countries that may call
 * @param http settings of protocol http
 * @param tls TLS between callers and the edge
 * @param agent the pod that carries the traffic
 */
@Document
@ValidationRule(value = "!has(self.tcpPort) || self.protocol == 'tcp'", message = TunnelRules.PORT_REQUIRES_TCP)
@ValidationRule(
        value = "self.protocol != 'tcp' || !has(self.publish) || self.publish",
        message = TunnelRules.TCP_REQUIRES_PUBLISHED)
@ValidationRule(
        value = "self.protocol != 'tcp' || !has(self.type) || self.type == 'bytestream'",
        message = TunnelRules.TCP_REQUIRES_BYTESTREAM)
@ValidationRule(value = "self.protocol != 'tcp' || !has(self.hostname)", message = TunnelRules.TCP_WITHOUT_HOSTNAME)
@ValidationRule(
        value = "self.protocol != 'tcp' || (!has(self.http) && !has(self.tls))",
        message = TunnelRules.TCP_WITHOUT_HTTP_OR_TLS)
public record RstreamTunnelSpec(
        @JsonPropertyDescription("Connection that the tunnel uses, in its own namespace. Absent means the connection"
                + " named default.")
        @Nullable
        ConnectionRef connectionRef,

        @JsonPropertyDescription("What the tunnel leads to.") @Required
        Target target,

        @JsonPropertyDescription("Name of the tunnel in rstream. Absent means a name made of namespace and name.")
        @Nullable
        String tunnelName,

        @JsonPropertyDescription("Exposes the tunnel at the edge. false keeps it private to the project.")
        @Default("true")
        @Nullable
        Boolean publish,

        @JsonPropertyDescription("What callers speak to the edge.") @Default("http") @Nullable
        TunnelProtocol protocol,

        @JsonPropertyDescription("Whether the tunnel carries bytes (bytestream) or packets (datagram). Absent means"
                + " what the protocol needs.")
        @Nullable
        TunnelType type,

        @JsonPropertyDescription("Delivers every packet of a datagram tunnel, in order.") @Nullable
        Boolean datagramGuaranteedDelivery,

        @JsonPropertyDescription("Allows the payload to take a path through another region.") @Nullable
        Boolean allowCrossRegionRouting,

        @JsonPropertyDescription("Public host name of the tunnel. Absent means a stable name that is made once.")
        @Nullable
        String hostname,

        @JsonPropertyDescription("Public port of a tunnel with protocol tcp, reserved for the project.")
        @Min(1)
        @Max(65535)
        @Nullable
        Integer tcpPort,

        @JsonPropertyDescription("Labels of the tunnel in rstream's inventory. The operator adds its own, which"
                + " start with rstream.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        Map<String, String> labels,

        @JsonPropertyDescription("The Service speaks TLS, so the agent connects to it with TLS.") @Nullable
        Boolean upstreamTLS,

        @JsonPropertyDescription("IP addresses and CIDR ranges that may call. Empty means all.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> trustedIPs,

        @JsonPropertyDescription("Countries that may call, as two-letter codes. Empty means all.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> geoip,

        @JsonPropertyDescription("Settings of a tunnel with protocol http.") @Nullable
        HttpSettings http,

        @JsonPropertyDescription("TLS between callers and the edge.") @Nullable
        TlsSettings tls,

        @JsonPropertyDescription("The pod that carries the tunnel's traffic.") @Nullable
        AgentSettings agent) {

    public RstreamTunnelSpec {
        labels = Absent.toEmpty(labels);
        trustedIPs = Absent.toEmpty(trustedIPs);
        geoip = Absent.toEmpty(geoip);
    }

    /** Name of the connection that the tunnel uses. */
    public String connectionName() {
        var name = connectionRef == null ? null : connectionRef.name();
        return name == null || name.isEmpty() ? WellKnown.DEFAULT_CONNECTION : name;
    }

    /** Namespace of the target Service, for a tunnel in {@code tunnelNamespace}. */
    public String serviceNamespace(String tunnelNamespace) {
        var namespace = target.service().namespace();
        return namespace == null || namespace.isEmpty() ? tunnelNamespace : namespace;
    }

    /** Whether the edge exposes the tunnel; true when the field is absent. */
    public boolean published() {
        return publish == null || publish;
    }

    /** What callers speak; http when the field is absent. */
    public TunnelProtocol effectiveProtocol() {
        return protocol == null ? TunnelProtocol.HTTP : protocol;
    }

    /** HTTP version towards the Service; HTTP/1.1 when the field is absent. Only meaningful with protocol http. */
    public HttpSettings.Version effectiveHttpVersion() {
        var version = http == null ? null : http.version();
        return version == null ? HttpSettings.Version.HTTP_1_1 : version;
    }

    /** The declared type, else datagram for dtls, quic and HTTP/3, else bytestream (operator reference, 3.8). */
    public TunnelType effectiveType() {
        return type == null ? inferredType() : type;
    }

    /** Protocol that the Service's port must have: {@code UDP} for packets, else {@code TCP} (reference, 3.5). */
    public String requiredServiceProtocol() {
        return switch (effectiveType()) {
            case BYTESTREAM -> "TCP";
            case DATAGRAM -> "UDP";
        };
    }

    /** The declared public host name without surrounding white space, if there is one. */
    public Optional<String> declaredHostname() {
        return Optional.ofNullable(hostname).map(String::strip).filter(name -> !name.isEmpty());
    }

    /** The declared name in rstream without surrounding white space, if there is one. */
    public Optional<String> declaredTunnelName() {
        return Optional.ofNullable(tunnelName).map(String::strip).filter(name -> !name.isEmpty());
    }

    private TunnelType inferredType() {
        return switch (effectiveProtocol()) {
            case DTLS, QUIC -> TunnelType.DATAGRAM;
            case HTTP ->
                effectiveHttpVersion() == HttpSettings.Version.H3 ? TunnelType.DATAGRAM : TunnelType.BYTESTREAM;
            case TLS, TCP -> TunnelType.BYTESTREAM;
        };
    }
}
