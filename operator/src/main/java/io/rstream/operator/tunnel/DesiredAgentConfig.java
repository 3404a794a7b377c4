package io.rstream.operator.tunnel;

import io.rstream.agent.config.AgentConfig;
import io.rstream.api.v1alpha1.HttpSettings;
import io.rstream.api.v1alpha1.MutualTls;
import io.rstream.api.v1alpha1.RstreamConnectionSpec;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelSpec;
import io.rstream.api.v1alpha1.TlsSettings;
import io.rstream.api.v1alpha1.Transport;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.operator.tunnel.children.AgentEnvironment;
import io.rstream.operator.tunnel.children.MutualTlsVolume;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pure: the agent's configuration file for a tunnel (operator reference, section 3.8). It never holds a secret value. */
final class DesiredAgentConfig {

    private DesiredAgentConfig() {}

    /**
     * The configuration.
     *
     * @param engine resolved engine address
     * @param rstreamName name of the tunnel in rstream
     * @param hostname public host name to ask for, or null to leave it to the engine
     * @param target where the agent dials
     */
    static AgentConfig of(
            RstreamTunnel tunnel,
            RstreamConnectionSpec connection,
            String engine,
            String rstreamName,
            @Nullable String hostname,
            ServiceTarget.Found target) {
        return new AgentConfig(
                new AgentConfig.Connection(engine, mtls(connection.mtls()), transport(connection.transport())),
                tunnel(tunnel, rstreamName, hostname),
                new AgentConfig.Target(target.host(), Integer.toString(target.port()), target.protocol()),
                new AgentConfig.Kubernetes(
                        true,
                        tunnel.getMetadata().getNamespace(),
                        tunnel.getMetadata().getName(),
                        AgentEnvironment.POD_NAME,
                        AgentEnvironment.POD_NAMESPACE),
                new AgentConfig.Retry("1s", "30s"));
    }

    private static AgentConfig.Tunnel tunnel(RstreamTunnel tunnel, String rstreamName, @Nullable String hostname) {
        var spec = tunnel.getSpec();
        return new AgentConfig.Tunnel(
                rstreamName,
                spec.published(),
                spec.effectiveProtocol().value(),
                spec.effectiveType().value(),
                spec.datagramGuaranteedDelivery(),
                spec.allowCrossRegionRouting(),
                hostname,
                spec.tcpPort(),
                labels(tunnel, spec),
                spec.upstreamTLS(),
                spec.trustedIPs(),
                spec.geoip(),
                http(spec.http()),
                tls(spec.tls()));
    }

    private static Map<String, String> labels(RstreamTunnel tunnel, RstreamTunnelSpec spec) {
        var labels = new HashMap<>(spec.labels());
        labels.put(WellKnown.TUNNEL_LABEL_MANAGED_BY, "kubernetes-operator");
        labels.put(WellKnown.TUNNEL_LABEL_SOURCE, "kubernetes");
        labels.put(WellKnown.TUNNEL_LABEL_NAMESPACE, tunnel.getMetadata().getNamespace());
        labels.put(WellKnown.TUNNEL_LABEL_NAME, tunnel.getMetadata().getName());
        labels.put(WellKnown.TUNNEL_LABEL_UID, tunnel.getMetadata().getUid());
        return labels;
    }

    private static AgentConfig.@Nullable Http http(@Nullable HttpSettings http) {
        if (http == null) {
            return null;
        }
        var version = http.version() == null ? HttpSettings.Version.HTTP_1_1 : http.version();
        var auth = http.auth();
        var gate = http.gate();
        return new AgentConfig.Http(
                version.value(),
                auth == null ? null : new AgentConfig.Auth(auth.token(), auth.rstream()),
                gate == null ? null : new AgentConfig.Gate(gate.challenge()));
    }

    private static AgentConfig.@Nullable Tls tls(@Nullable TlsSettings tls) {
        if (tls == null) {
            return null;
        }
        return new AgentConfig.Tls(
                tls.mode() == null ? null : tls.mode().value(),
                tls.minVersion() == null ? null : tls.minVersion().value(),
                tls.alpns(),
                tls.mtls());
    }

    private static AgentConfig.@Nullable Mtls mtls(@Nullable MutualTls mtls) {
        return mtls == null
                ? null
                : new AgentConfig.Mtls(
                        MutualTlsVolume.CERTIFICATE_FILE,
                        MutualTlsVolume.KEY_FILE,
                        mtls.caSecretRef() == null ? null : MutualTlsVolume.CA_FILE);
    }

    private static AgentConfig.@Nullable Transport transport(@Nullable Transport transport) {
        if (transport == null) {
            return null;
        }
        return new AgentConfig.Transport(
                transport.mode() == null ? null : transport.mode().value(),
                bind(transport.bind()),
                transport.ipFamily() == null ? null : transport.ipFamily().value(),
                dns(transport.dns()),
                transport.mptcp(),
                proxy(transport.proxy()),
                transport.useQuic());
    }

    private static AgentConfig.@Nullable Bind bind(Transport.@Nullable Bind bind) {
        return bind == null
                ? null
                : new AgentConfig.Bind(
                        bind.mode() == null ? null : bind.mode().value(), bind.interfaceName(), bind.address());
    }

    private static AgentConfig.@Nullable Dns dns(Transport.@Nullable Dns dns) {
        return dns == null ? null : new AgentConfig.Dns(dns.override(), dns.tls(), dns.serverName(), dns.dnssec());
    }

    private static AgentConfig.@Nullable Proxy proxy(Transport.@Nullable Proxy proxy) {
        return proxy == null
                ? null
                : new AgentConfig.Proxy(
                        proxy.http(),
                        proxy.usernameSecretRef() == null ? null : AgentEnvironment.PROXY_USERNAME,
                        proxy.passwordSecretRef() == null ? null : AgentEnvironment.PROXY_PASSWORD,
                        proxy.headers());
    }
}
