package io.rstream.agent.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The agent's configuration file. Component names are the file's keys, in the file's order (operator reference, section
 * 3.8). It never holds a secret: credentials are named by file or by environment variable.
 *
 * <p>Strings that must be present arrive as {@code ""} when the file leaves them out, and blank means missing; {@link
 * AgentConfigRules} reports them. Every other component may be null when the file does not have its key. Lists and maps
 * are never null and are copied.
 *
 * @param connection how to reach the engine
 * @param tunnel the tunnel to ask for
 * @param target where its streams go
 * @param kubernetes where to report; null means that nothing is reported
 * @param retry pauses between attempts; null means 1 s doubling to 30 s
 */
public record AgentConfig(
        Connection connection,
        Tunnel tunnel,
        Target target,
        @Nullable Kubernetes kubernetes,
        @Nullable Retry retry) {

    public AgentConfig {
        connection = connection == null ? new Connection("", null, null) : connection;
        tunnel = tunnel == null
                ? new Tunnel(
                        "", null, null, null, null, null, null, null, Map.of(), null, List.of(), List.of(), null, null)
                : tunnel;
        target = target == null ? new Target("", "", null) : target;
    }

    /** The same configuration for an agent outside of a container: the files that it names are below {@code root}. */
    public AgentConfig below(Path root) {
        Mtls mtls = connection.mtls();
        return mtls == null
                ? this
                : new AgentConfig(
                        new Connection(connection.engine(), mtls.below(root), connection.transport()),
                        tunnel,
                        target,
                        kubernetes,
                        retry);
    }

    /**
     * The engine and the way to it.
     *
     * @param engine address as {@code host}, {@code host:port} or {@code [v6]:port}; required
     * @param mtls client certificate; null means that a token is used
     * @param transport settings of the path; null means the defaults
     */
    public record Connection(
            String engine, @Nullable Mtls mtls, @Nullable Transport transport) {
        public Connection {
            engine = text(engine);
        }
    }

    /**
     * Files of the client certificate, PEM each.
     *
     * @param certFile certificate chain; required
     * @param keyFile private key; required
     * @param caFile bundle that replaces the system's trust anchors; null keeps those
     */
    public record Mtls(
            String certFile, String keyFile, @Nullable String caFile) {
        public Mtls {
            certFile = text(certFile);
            keyFile = text(keyFile);
        }

        private Mtls below(Path root) {
            return new Mtls(below(root, certFile), below(root, keyFile), caFile == null ? null : below(root, caFile));
        }

        private static String below(Path root, String file) {
            return file.isBlank() ? file : root + "/" + file.strip();
        }
    }

    /**
     * The path to the engine.
     *
     * @param mode {@code auto}, {@code tls} or {@code quic}; it wins over {@code useQuic}
     * @param bind local end of the connections
     * @param ipFamily {@code auto}, {@code ipv4} or {@code ipv6}
     * @param dns resolver for the engine's name
     * @param mptcp multipath TCP
     * @param proxy HTTP proxy
     * @param useQuic the older selector: true is quic, false is tls
     */
    public record Transport(
            @Nullable String mode,
            @Nullable Bind bind,
            @Nullable String ipFamily,
            @Nullable Dns dns,
            @Nullable Boolean mptcp,
            @Nullable Proxy proxy,
            @Nullable Boolean useQuic) {}

    /**
     * Local end of connections to the engine.
     *
     * @param mode {@code address} (the default) or {@code interface}
     * @param interfaceName name of a network interface, key {@code interface}
     * @param address a local IP address
     */
    public record Bind(
            @Nullable String mode,
            @JsonProperty("interface") @Nullable String interfaceName,
            @Nullable String address) {}

    /**
     * Resolver for the engine's name (protocol, section 4.7).
     *
     * @param override address of the DNS server
     * @param tls DNS over TLS
     * @param serverName name in that server's certificate
     * @param dnssec whether answers must be authenticated
     */
    public record Dns(
            @Nullable String override,
            @Nullable Boolean tls,
            @Nullable String serverName,
            @Nullable Boolean dnssec) {}

    /**
     * HTTP proxy in front of the engine (protocol, section 4.8).
     *
     * @param http its URL
     * @param usernameEnv environment variable with the user name
     * @param passwordEnv environment variable with the password
     * @param headers additional headers of the CONNECT request
     */
    public record Proxy(
            @Nullable String http,
            @Nullable String usernameEnv,
            @Nullable String passwordEnv,
            Map<String, String> headers) {
        public Proxy {
            headers = headers == null ? Map.of() : Map.copyOf(headers);
        }
    }

    /**
     * The wanted tunnel; enumerations are trimmed and folded to lower case when they are used, not here.
     *
     * @param name its name in rstream; required
     * @param publish whether the engine exposes it; null leaves it to the engine
     * @param protocol one of http, tls, dtls, quic, tcp
     * @param type {@code bytestream} or {@code datagram}
     * @param datagramGuaranteedDelivery reliable datagrams
     * @param allowCrossRegionRouting whether traffic may enter in another region
     * @param hostname wanted public host name
     * @param tcpPort wanted public port, 1 to 65535, for protocol tcp
     * @param labels metadata in the engine's inventory
     * @param upstreamTLS whether the Service speaks TLS
     * @param trustedIPs allowed sources as CIDR
     * @param geoip allowed countries, ISO 3166-1 alpha-2
     * @param http settings of protocol http
     * @param tls settings of protocol tls, dtls and quic
     */
    public record Tunnel(
            String name,
            @Nullable Boolean publish,
            @Nullable String protocol,
            @Nullable String type,
            @Nullable Boolean datagramGuaranteedDelivery,
            @Nullable Boolean allowCrossRegionRouting,
            @Nullable String hostname,
            @Nullable Integer tcpPort,
            Map<String, String> labels,
            @Nullable Boolean upstreamTLS,
            List<String> trustedIPs,
            List<String> geoip,
            @Nullable Http http,
            @Nullable Tls tls) {

        public Tunnel {
            name = text(name);
            labels = labels == null ? Map.of() : Map.copyOf(labels);
            trustedIPs = trustedIPs == null ? List.of() : List.copyOf(trustedIPs);
            geoip = geoip == null ? List.of() : List.copyOf(geoip);
        }
    }

    /**
     * Settings of an HTTP tunnel.
     *
     * @param version {@code http/1.1}, {@code h2c} or {@code h3}
     * @param auth who may pass the edge
     * @param gate how the edge tells people from programs
     */
    public record Http(
            @Nullable String version,
            @Nullable Auth auth,
            @Nullable Gate gate) {}

    /**
     * Who may pass the edge.
     *
     * @param token callers with a bearer token
     * @param rstream callers with an rstream account
     */
    public record Auth(@Nullable Boolean token, @Nullable Boolean rstream) {}

    /**
     * How the edge tells people from programs.
     *
     * @param challenge whether a browser challenge is shown
     */
    public record Gate(@Nullable Boolean challenge) {}

    /**
     * Settings of a TLS tunnel.
     *
     * @param mode {@code terminated} or {@code passthrough}
     * @param minVersion {@code tls1.2} or {@code tls1.3}
     * @param alpns application protocols that the edge accepts
     * @param mtls whether callers must present a certificate
     */
    public record Tls(
            @Nullable String mode,
            @Nullable String minVersion,
            List<String> alpns,
            @Nullable Boolean mtls) {
        public Tls {
            alpns = alpns == null ? List.of() : List.copyOf(alpns);
        }
    }

    /**
     * Where streams go.
     *
     * @param host name or address of the Service; required
     * @param port 1 to 65535, written as a string; required
     * @param protocol {@code TCP} (also when absent) or {@code UDP}
     */
    public record Target(String host, String port, @Nullable String protocol) {
        public Target {
            host = text(host);
            port = text(port);
        }
    }

    /**
     * The tunnel object whose status the agent keeps.
     *
     * @param enabled whether to report at all; absent is false
     * @param namespace its namespace; required when enabled
     * @param tunnelName its name; required when enabled
     * @param podNameEnv environment variable with the pod's name
     * @param podNamespaceEnv environment variable with the pod's namespace, which wins over {@code namespace}
     */
    public record Kubernetes(
            @Nullable Boolean enabled,
            @Nullable String namespace,
            @Nullable String tunnelName,
            @Nullable String podNameEnv,
            @Nullable String podNamespaceEnv) {}

    /**
     * Pauses between attempts, as Go durations ({@code 1s}, {@code 1m30s}).
     *
     * @param initial the first pause; absent is 1s
     * @param max the longest pause; absent is 30s
     */
    public record Retry(@Nullable String initial, @Nullable String max) {}

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
