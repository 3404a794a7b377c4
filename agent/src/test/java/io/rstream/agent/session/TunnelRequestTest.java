package io.rstream.agent.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rstream.agent.config.AgentConfig.Tunnel;
import io.rstream.agent.config.AgentConfigFile;
import io.rstream.agent.connect.AttemptException;
import io.rstream.protocol.TunnelProperties;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TunnelRequestTest {
    private static Tunnel tunnel(String yaml) throws Exception {
        return AgentConfigFile.parse("""
                connection: {engine: edge.example.com}
                tunnel: %s
                target: {host: web, port: "80"}
                """.formatted(yaml)).tunnel();
    }

    @Tag("parity-112")
    @Test
    void sendsEverythingThatAnHttpTunnelMaySay() throws Exception {
        Tunnel tunnel = tunnel("""
                {name: web, publish: true, protocol: ' HTTP', type: Bytestream, hostname: a.example.com,
                 labels: {k: v}, upstreamTLS: true, trustedIPs: [192.0.2.0/24], geoip: [FR],
                 datagramGuaranteedDelivery: false, allowCrossRegionRouting: true,
                 http: {version: H2C, auth: {token: true, rstream: false}, gate: {challenge: true}}}""");

        TunnelProperties sent = TunnelRequest.of(tunnel);

        assertThat(sent)
                .isEqualTo(TunnelProperties.builder()
                        .name("web")
                        .publish(true)
                        .protocol("http")
                        .type("bytestream")
                        .hostname("a.example.com")
                        .labels(Map.of("k", "v"))
                        .upstreamTls(true)
                        .httpUseTls(true)
                        .trustedIps(List.of("192.0.2.0/24"))
                        .geoip(List.of("FR"))
                        .datagramGuaranteedDelivery(false)
                        .allowCrossRegionRouting(true)
                        .httpVersion("h2c")
                        .tokenAuth(true)
                        .rstreamAuth(false)
                        .challengeMode(true)
                        .build());
    }

    @Tag("parity-112")
    @Test
    void sendsTlsSettingsAndNoHttpFlagForATlsTunnel() throws Exception {
        Tunnel tunnel = tunnel("{name: web, protocol: tls, upstreamTLS: true,"
                + " tls: {mode: Terminated, minVersion: TLS1.3, alpns: [h2], mtls: true}}");

        TunnelProperties sent = TunnelRequest.of(tunnel);

        assertThat(sent)
                .isEqualTo(TunnelProperties.builder()
                        .name("web")
                        .protocol("tls")
                        .upstreamTls(true)
                        .tlsMode("terminated")
                        .tlsMinVersion("tls1.3")
                        .tlsAlpns(List.of("h2"))
                        .mtlsAuth(true)
                        .build());
    }

    @Tag("parity-112")
    @Test
    void saysNothingThatTheConfigurationDoesNot() throws Exception {
        TunnelProperties smallest = TunnelRequest.of(tunnel("{name: web}"));
        TunnelProperties withoutProtocol = TunnelRequest.of(tunnel("{name: web, upstreamTLS: false}"));

        assertThat(smallest).isEqualTo(TunnelProperties.builder().name("web").build());
        assertThat(withoutProtocol)
                .isEqualTo(TunnelProperties.builder()
                        .name("web")
                        .upstreamTls(false)
                        .httpUseTls(false)
                        .build());
    }

    @Tag("parity-113")
    @Test
    void wantsAName() {
        Tunnel blank = new Tunnel(" ", null, null, null, null, null, null, null, null, null, null, null, null, null);

        assertThatThrownBy(() -> TunnelRequest.of(blank)).hasMessage("tunnel name is required");
    }

    @Tag("parity-113")
    @Test
    void forcesWhatATcpTunnelMustBe() throws Exception {
        TunnelProperties sent =
                TunnelRequest.of(tunnel("{name: db, protocol: TCP, tcpPort: 5432, upstreamTLS: false}"));

        assertThat(sent)
                .isEqualTo(TunnelProperties.builder()
                        .name("db")
                        .protocol("tcp")
                        .publish(true)
                        .type("bytestream")
                        .port(5432)
                        .build());
    }

    @Tag("parity-113")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            type: stream                                       | invalid tunnel type "stream"
            protocol: webtty                                   | invalid protocol "webtty"
            tcpPort: 80                                        | tcpPort requires protocol "tcp"
            protocol: tcp, tcpPort: 0                          | tcpPort must be between 1 and 65535
            protocol: tcp, tcpPort: 65536                      | tcpPort must be between 1 and 65535
            protocol: tcp, publish: false                      | protocol "tcp" requires a published tunnel
            protocol: tcp, type: datagram                      | protocol "tcp" requires tunnel type "bytestream"
            protocol: tcp, hostname: a                         | protocol "tcp" does not support hostname, HTTP, or TLS settings
            protocol: tcp, http: {}                            | protocol "tcp" does not support hostname, HTTP, or TLS settings
            protocol: tcp, tls: {}                             | protocol "tcp" does not support hostname, HTTP, or TLS settings
            protocol: tcp, upstreamTLS: true                   | protocol "tcp" does not support upstream TLS
            protocol: tcp, datagramGuaranteedDelivery: true    | protocol "tcp" does not support datagram guaranteed delivery
            datagramGuaranteedDelivery: true                   | datagram guaranteed delivery requires tunnel type "datagram"
            protocol: tls, http: {}                            | http settings require protocol "http"
            http: {version: http/2}                            | invalid http version "http/2"
            tls: {mode: open}                                  | invalid tls mode "open"
            tls: {minVersion: tls1.1}                          | invalid tls min version "tls1.1"
            type: datagram                                     | tunnel.type "datagram" is not supported by this agent yet; use bytestream
            protocol: quic                                     | tunnel.protocol "quic" is not supported by this agent yet; it needs datagrams
            protocol: dtls                                     | tunnel.protocol "dtls" is not supported by this agent yet; it needs datagrams
            http: {version: h3}                                | tunnel.http.version "h3" is not supported by this agent yet; it needs datagrams
            """)
    void refusesWhatCannotWork(String yaml, String message) {
        assertThatThrownBy(() -> TunnelRequest.of(tunnel("{name: web, " + yaml + "}")))
                .isInstanceOfSatisfying(
                        AttemptException.class,
                        refusal -> assertThat(refusal.isPermanent()).isTrue())
                .hasMessage(message);
    }
}
