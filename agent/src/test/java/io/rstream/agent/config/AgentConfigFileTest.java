package io.rstream.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rstream.agent.config.AgentConfig.Auth;
import io.rstream.agent.config.AgentConfig.Bind;
import io.rstream.agent.config.AgentConfig.Connection;
import io.rstream.agent.config.AgentConfig.Dns;
import io.rstream.agent.config.AgentConfig.Gate;
import io.rstream.agent.config.AgentConfig.Http;
import io.rstream.agent.config.AgentConfig.Kubernetes;
import io.rstream.agent.config.AgentConfig.Mtls;
import io.rstream.agent.config.AgentConfig.Proxy;
import io.rstream.agent.config.AgentConfig.Retry;
import io.rstream.agent.config.AgentConfig.Target;
import io.rstream.agent.config.AgentConfig.Tls;
import io.rstream.agent.config.AgentConfig.Transport;
import io.rstream.agent.config.AgentConfig.Tunnel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentConfigFileTest {
    private static final String SMALLEST = """
            connection:
              engine: edge.example.com:443
            tunnel:
              name: shop-web
            target:
              host: web.shop.svc
              port: "80"
            """;

    @ParameterizedTest
    @ValueSource(strings = {"proxy: 'http://u:marker@proxy'", "proxy: {headers: marker}", "proxy: {headers: [marker]}"})
    void showsNoValueOfAProxyThatIsMalformed(String proxy) {
        String yaml = SMALLEST.replace("443\n", "443\n  transport: {" + proxy + "}\n");

        assertThatThrownBy(() -> AgentConfigFile.parse(yaml))
                .hasMessageStartingWith("decode config: connection.transport.proxy")
                .hasMessageNotContaining("marker");
    }

    private static final AgentConfig EVERYTHING = new AgentConfig(
            new Connection(
                    "edge.example.com:443",
                    new Mtls(
                            "/var/run/rstream/mtls/tls.crt",
                            "/var/run/rstream/mtls/tls.key",
                            "/var/run/rstream/mtls/ca.crt"),
                    new Transport(
                            "tls",
                            new Bind("address", "eth0", "192.0.2.1"),
                            "ipv4",
                            new Dns("192.0.2.53", true, "dns.example.com", false),
                            false,
                            new Proxy(
                                    "http://proxy:3128",
                                    "RSTREAM_PROXY_USERNAME",
                                    "RSTREAM_PROXY_PASSWORD",
                                    Map.of("X-B", "2", "X-A", "1")),
                            false)),
            new Tunnel(
                    "shop-web",
                    true,
                    "http",
                    "bytestream",
                    false,
                    true,
                    "r1a2b3c4d-project.t.example.com",
                    8080,
                    Map.of("z", "", "a", "yes"),
                    true,
                    List.of("192.0.2.0/24"),
                    List.of("NO"),
                    new Http("h2c", new Auth(true, false), new Gate(true)),
                    new Tls("terminated", "tls1.3", List.of("h2"), true)),
            new Target("web.shop.svc", "80", "TCP"),
            new Kubernetes(true, "shop", "web", "RSTREAM_AGENT_POD_NAME", "RSTREAM_AGENT_POD_NAMESPACE"),
            new Retry("1s", "30s"));

    @Tag("parity-72")
    @Test
    void writesEveryKeyInTheDocumentedOrder() {
        String yaml = AgentConfigFile.write(EVERYTHING);

        assertThat(yaml).isEqualTo("""
                connection:
                  engine: edge.example.com:443
                  mtls:
                    certFile: /var/run/rstream/mtls/tls.crt
                    keyFile: /var/run/rstream/mtls/tls.key
                    caFile: /var/run/rstream/mtls/ca.crt
                  transport:
                    mode: tls
                    bind:
                      mode: address
                      interface: eth0
                      address: 192.0.2.1
                    ipFamily: ipv4
                    dns:
                      override: 192.0.2.53
                      tls: true
                      serverName: dns.example.com
                      dnssec: false
                    mptcp: false
                    proxy:
                      http: http://proxy:3128
                      usernameEnv: RSTREAM_PROXY_USERNAME
                      passwordEnv: RSTREAM_PROXY_PASSWORD
                      headers:
                        X-A: "1"
                        X-B: "2"
                    useQuic: false
                tunnel:
                  name: shop-web
                  publish: true
                  protocol: http
                  type: bytestream
                  datagramGuaranteedDelivery: false
                  allowCrossRegionRouting: true
                  hostname: r1a2b3c4d-project.t.example.com
                  tcpPort: 8080
                  labels:
                    a: "yes"
                    z: ""
                  upstreamTLS: true
                  trustedIPs:
                  - 192.0.2.0/24
                  geoip:
                  - "NO"
                  http:
                    version: h2c
                    auth:
                      token: true
                      rstream: false
                    gate:
                      challenge: true
                  tls:
                    mode: terminated
                    minVersion: tls1.3
                    alpns:
                    - h2
                    mtls: true
                target:
                  host: web.shop.svc
                  port: "80"
                  protocol: TCP
                kubernetes:
                  enabled: true
                  namespace: shop
                  tunnelName: web
                  podNameEnv: RSTREAM_AGENT_POD_NAME
                  podNamespaceEnv: RSTREAM_AGENT_POD_NAMESPACE
                retry:
                  initial: 1s
                  max: 30s
                """);
    }

    @Test
    void readsWhatItWrites() throws Exception {
        String yaml = AgentConfigFile.write(EVERYTHING);

        AgentConfig read = AgentConfigFile.parse(yaml);

        assertThat(read).isEqualTo(EVERYTHING);
    }

    @Tag("parity-67")
    @Test
    void leavesOutWhatIsAbsentAndQuotesThePort() throws Exception {
        AgentConfig smallest = AgentConfigFile.parse(SMALLEST);

        String yaml = AgentConfigFile.write(smallest);

        assertThat(yaml).isEqualTo(SMALLEST);
    }

    @Tag("parity-99")
    @ParameterizedTest
    @CsvSource({
        "'speed: 1', 'unknown key speed'",
        "'connection: {engin: a}', 'unknown key connection.engin;'",
        "'connection: {transport: {proxy: {socks5: a}}}', 'unknown key connection.transport.proxy.socks5'",
        "'tunnel: {http: {auth: {jwt: true}}}', 'unknown key tunnel.http.auth.jwt; known keys there: rstream, token'",
    })
    void refusesAnUnknownKeyAtAnyDepth(String yaml, String message) {
        assertThatThrownBy(() -> AgentConfigFile.parse(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("decode config: ")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "'tunnel: {name: a, name: b}', name",
        "'tunnel: {publish: \"true\"}', tunnel.publish",
        "'tunnel: {tcpPort: \"80\"}', tunnel.tcpPort",
        "'tunnel: {tcpPort: 1.5}', tunnel.tcpPort",
        "'tunnel: {trustedIPs: 192.0.2.0/24}', tunnel.trustedIPs",
        "'tunnel: [', ''",
        "'- a', ''",
    })
    void refusesAnotherShapeAndNamesThePlace(String yaml, String place) {
        assertThatThrownBy(() -> AgentConfigFile.parse(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("decode config: ")
                .hasMessageContaining(place);
    }

    @Test
    void refusesASecondDocument() {
        assertThatThrownBy(() -> AgentConfigFile.parse(SMALLEST + "---\n" + SMALLEST))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("decode config: ");
    }

    @Tag("parity-100")
    @ParameterizedTest
    @CsvSource({
        "edge.example.com:443, ' ', connection.engine is required",
        "shop-web, '\" \"', tunnel.name is required",
        "web.shop.svc, '', target.host is required",
        "'\"80\"', '', target.port is required",
    })
    void namesTheMandatoryFieldThatIsMissing(String value, String replacement, String message) {
        assertThatThrownBy(() -> AgentConfigFile.parse(SMALLEST.replace(value, replacement)))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "65536", "http", "-1", "8 0"})
    void refusesAPortThatIsNone(String port) {
        assertThatThrownBy(() -> AgentConfigFile.parse(SMALLEST.replace("\"80\"", "\"" + port + "\"")))
                .hasMessage("target.port \"" + port + "\" is not a port number; use 1 to 65535");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "080", "9999", "65535"})
    void takesEveryPort(String port) throws Exception {
        AgentConfig config = AgentConfigFile.parse(SMALLEST.replace("\"80\"", "\"" + port + "\""));

        assertThat(config.target().port()).isEqualTo(port);
    }

    @Tag("parity-100")
    @Test
    void wantsBothFilesOfAClientCertificate() {
        String yaml = SMALLEST.replace("tunnel:", "  mtls: {}\ntunnel:");

        assertThatThrownBy(() -> AgentConfigFile.parse(yaml))
                .hasMessage("connection.mtls.certFile is required; connection.mtls.keyFile is required");
    }

    @Tag("parity-100")
    @Test
    void wantsTheTunnelObjectWhenKubernetesIsEnabled() {
        assertThatThrownBy(() -> AgentConfigFile.parse(SMALLEST + "kubernetes: {enabled: true}\n"))
                .hasMessage("kubernetes.namespace is required when kubernetes.enabled is true;"
                        + " kubernetes.tunnelName is required when kubernetes.enabled is true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "# nothing\n", "{}\n"})
    void anEmptyFileLacksEverything(String yaml) {
        assertThatThrownBy(() -> AgentConfigFile.parse(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("connection.engine is required; tunnel.name is required");
    }

    @Test
    void saysWhichFileIsMissing(@TempDir Path folder) {
        Path file = folder.resolve("config.yaml");

        assertThatThrownBy(() -> AgentConfigFile.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessage("read config: " + file + " does not exist");
    }

    @Test
    void refusesABlankPath() {
        assertThatThrownBy(() -> AgentConfigFile.read(Path.of(" "))).hasMessage("config path is required");
    }

    @Test
    void readsAFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("config.yaml"), SMALLEST);

        AgentConfig config = AgentConfigFile.read(file);

        assertThat(config.target()).isEqualTo(new Target("web.shop.svc", "80", null));
    }

    /** Deliberate difference from parity 86: versions of Secrets have no part in it. */
    @Test
    @Tag("parity-86")
    void namesATextByItsHash() {
        assertThat(AgentConfigFile.hash("connection: {}\n")).isEqualTo("4c7006a0bf94f0e9");
        assertThat(AgentConfigFile.hash("connection: {} \n")).isNotEqualTo("4c7006a0bf94f0e9");
    }

    @Test
    void findsItsFilesBelowAnotherRoot() throws Exception {
        AgentConfig config = AgentConfigFile.parse("""
                connection: {engine: e, mtls: {certFile: /run/tls.crt, keyFile: /run/tls.key, caFile: /run/ca.crt}}
                tunnel: {name: web}
                target: {host: web, port: "80"}
                """);

        assertThat(config.below(Path.of("/mounts/pod")).connection().mtls())
                .isEqualTo(new Mtls("/mounts/pod//run/tls.crt", "/mounts/pod//run/tls.key", "/mounts/pod//run/ca.crt"));
    }
}
