package io.rstream.agent.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfig.Transport;
import io.rstream.agent.config.AgentConfigFile;
import io.rstream.process.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransportSettingsTest {
    private static final ProxyLogin LOGIN = new ProxyLogin(Secret.of("user"), Secret.of("pass"));

    private static Transport transport(String yaml) throws Exception {
        AgentConfig config = AgentConfigFile.parse("""
                connection: {engine: edge.example.com, transport: %s}
                tunnel: {name: web}
                target: {host: web, port: "80"}
                """.formatted(yaml));
        return config.connection().transport();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{mode: tls}",
                "{mode: ' AUTO '}",
                "{useQuic: false}",
                "{mode: tls, useQuic: true}",
                "{dns: {tls: false, dnssec: false}}",
                "{proxy: {}}",
                "{ipFamily: auto}"
            })
    void whatAsksForNothingSpecialIsTheDefault(String yaml) throws Exception {
        TransportSettings settings = TransportSettings.of(transport(yaml), ProxyLogin.NONE);

        assertThat(settings).isEqualTo(TransportSettings.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {mode: quic}                                   | transport.mode quic is not supported by this agent yet; use tls or auto
            {useQuic: true}                                | transport.useQuic true is not supported by this agent yet; use transport.mode tls
            {mode: udp}                                    | invalid tunnel transport "udp" (valid: auto, tls, quic)
            {ipFamily: ipv5}                               | invalid transport.ipFamily "ipv5" (valid: auto, ipv4, ipv6)
            {dns: {override: 192.0.2.53}}                  | transport.dns.override is not supported by this agent yet; remove it to use the pod's resolver
            {dns: {tls: true}}                             | transport.dns.tls is not supported by this agent yet; remove it to use the pod's resolver
            {dns: {serverName: a}}                         | transport.dns.serverName is not supported by this agent yet; remove it to use the pod's resolver
            {dns: {dnssec: true}}                          | transport.dns.dnssec is not supported by this agent yet; remove it to use the pod's resolver
            {bind: {mode: interface, interface: eth0}}     | transport.bind.mode interface is not supported by this agent yet; use mode address
            {bind: {mode: address}}                        | transport.bind.address "" is not an IP address; write a local one
            {bind: {mode: route}}                          | invalid transport.bind.mode "route" (valid: address, interface)
            {proxy: {usernameEnv: A}}                      | transport.proxy.http is required with the other proxy settings; write http://host:port
            {proxy: {http: 'https://proxy:1'}}             | transport.proxy.http with https is not supported by this agent yet; use http://host:port
            {proxy: {http: 'socks5://proxy:1'}}            | transport.proxy.http is not of the form http://host:port
            {proxy: {http: 'http://proxy:1/path'}}         | transport.proxy.http is not of the form http://host:port
            {proxy: {http: 'proxy:1'}}                     | transport.proxy.http is not of the form http://host:port
            """)
    void refusesWhatItCannotHonour(String yaml, String message) {
        assertThatThrownBy(() -> TransportSettings.of(transport(yaml), LOGIN))
                .isInstanceOfSatisfying(
                        AttemptException.class,
                        refusal -> assertThat(refusal.isPermanent()).isTrue())
                .hasMessage("resolve tunnel transport: " + message);
    }

    @Test
    void wantsBothHalvesOfAProxyLogin() {
        assertThatThrownBy(() -> TransportSettings.of(
                        transport("{proxy: {http: 'http://proxy', usernameEnv: A, passwordEnv: B}}"),
                        new ProxyLogin(Secret.of("user"), null)))
                .hasMessageContaining("transport.proxy needs user name and password together");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{proxy: {http: 'http://proxy', usernameEnv: A, passwordEnv: B}}",
                "{proxy: {http: 'http://proxy', headers: {X-Key: \"marker\\n\"}}}",
                "{proxy: {http: 'http://proxy', headers: {'X Key': marker}}}",
                "{proxy: {http: 'http://u:marker@pro xy'}}"
            })
    void refusesWhatNoHeaderCanCarryWithoutShowingIt(String yaml) {
        ProxyLogin login = new ProxyLogin(Secret.of("user"), Secret.of("marker\u0001"));

        assertThatThrownBy(() -> TransportSettings.of(transport(yaml), login))
                .isInstanceOf(AttemptException.class)
                .hasMessageStartingWith("resolve tunnel transport: transport.proxy")
                .hasMessageNotContaining("marker");
    }

    @Test
    void takesTheLoginFromTheEnvironmentBeforeTheUrl() throws Exception {
        Transport transport = transport("{proxy: {http: 'http://a:b@proxy', usernameEnv: A, passwordEnv: B}}");

        HttpProxy proxy = TransportSettings.of(transport, LOGIN).proxy();

        assertThat(proxy.host()).isEqualTo("proxy");
        assertThat(proxy.port()).isEqualTo(80);
        assertThat(proxy.username().reveal()).isEqualTo("user");
    }

    @Test
    void takesTheLoginFromTheUrlOtherwise() throws Exception {
        HttpProxy proxy = TransportSettings.of(transport("{proxy: {http: 'http://a:b@proxy:3128'}}"), LOGIN)
                .proxy();

        assertThat(proxy.port()).isEqualTo(3128);
        assertThat(proxy.username().reveal()).isEqualTo("a");
        assertThat(proxy.password().reveal()).isEqualTo("b");
        assertThat(proxy).hasToString("HttpProxy[proxy:3128]");
    }

    @Test
    void bindsToALocalAddressOfOneFamily() throws Exception {
        TransportSettings settings = TransportSettings.of(
                transport("{bind: {address: 127.0.0.1}, ipFamily: IPv4, mptcp: true}"), ProxyLogin.NONE);

        assertThat(settings.bind().getHostAddress()).isEqualTo("127.0.0.1");
        assertThat(settings.family()).isEqualTo(IpFamily.IPV4);
        assertThat(settings.multipath()).isTrue();
    }
}
