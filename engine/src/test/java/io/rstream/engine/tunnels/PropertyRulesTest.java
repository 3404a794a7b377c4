package io.rstream.engine.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.engine.tunnels.PropertyDecision.Accepted;
import io.rstream.engine.tunnels.PropertyDecision.Refused;
import io.rstream.protocol.TunnelProperties;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PropertyRulesTest {
    private final PropertyRules rules = new PropertyRules(true);

    @Test
    void completesAnEmptyRequestToAPublishedHttpTunnel() {
        TunnelProperties effective = accepted(b -> b);

        assertThat(effective.publish()).isTrue();
        assertThat(effective.protocol()).isEqualTo("http");
        assertThat(effective.type()).isEqualTo("bytestream");
        assertThat(effective.httpVersion()).isEqualTo("http/1.1");
        assertThat(effective.upstreamTls()).isFalse();
        assertThat(effective.tokenAuth()).isFalse();
    }

    @Test
    void completesAPrivateTunnelWithoutAProtocol() {
        TunnelProperties effective = accepted(b -> b.publish(false).name("db"));

        assertThat(effective.protocol()).isNull();
        assertThat(effective.httpVersion()).isNull();
        assertThat(effective.type()).isEqualTo("bytestream");
        assertThat(effective.name()).isEqualTo("db");
    }

    @Test
    void completesATcpTunnel() {
        TunnelProperties effective = accepted(b -> b.protocol("tcp").port(10_000));

        assertThat(effective.publish()).isTrue();
        assertThat(effective.port()).isEqualTo(10_000);
        assertThat(effective.httpVersion()).isNull();
    }

    @Test
    void keepsLabelsAndRoutingAndIgnoresReadOnlyProperties() {
        TunnelProperties effective = accepted(b -> b.labels(Map.of("team", "a"))
                .allowCrossRegionRouting(true)
                .id("mine")
                .host("mine"));

        assertThat(effective.labels()).containsEntry("team", "a");
        assertThat(effective.allowCrossRegionRouting()).isTrue();
        assertThat(effective.id()).isNull();
        assertThat(effective.host()).isNull();
    }

    @Test
    void takesPropertiesThatSayNo() {
        TunnelProperties effective = accepted(b -> b.protocol("http")
                .tokenAuth(false)
                .rstreamAuth(false)
                .challengeMode(false)
                .mtlsAuth(false)
                .upstreamTls(false)
                .httpUseTls(false)
                .datagramGuaranteedDelivery(false));

        assertThat(effective.protocol()).isEqualTo("http");
    }

    static Stream<Arguments> contradictions() {
        return Stream.of(
                refusal("type has an unknown value.", b -> b.type("stream")),
                refusal("protocol has an unknown value.", b -> b.protocol("gopher")),
                refusal("protocol has an unknown value.", b -> b.protocol("HTTP")),
                refusal("tls_mode has an unknown value.", b -> b.tlsMode("open")),
                refusal("http_version has an unknown value.", b -> b.httpVersion("h2")),
                refusal("tls_min_version has an unknown value.", b -> b.tlsMinVersion("tls1.1")),
                refusal(
                        "type datagram does not fit protocol tcp.",
                        b -> b.protocol("tcp").type("datagram")),
                refusal(
                        "type bytestream does not fit protocol quic.",
                        b -> b.protocol("quic").type("bytestream")),
                refusal(
                        "type datagram does not fit protocol http.",
                        b -> b.protocol("http").type("datagram")),
                refusal("port needs protocol tcp.", b -> b.port(10_000)),
                refusal(
                        "port must be between 1 and 65535.",
                        b -> b.protocol("tcp").port(70_000)),
                refusal(
                        "A private tunnel takes no hostname",
                        b -> b.publish(false).hostname("a.b")),
                refusal(
                        "A private tunnel takes no geoip, trusted_ips",
                        b -> b.publish(false).geoip(List.of("FR")).trustedIps(List.of("10.0.0.0/8"))),
                refusal(
                        "A private tunnel takes no token_auth",
                        b -> b.publish(false).tokenAuth(true)),
                refusal(
                        "A private tunnel cannot have protocol tcp.",
                        b -> b.publish(false).protocol("tcp")),
                refusal(
                        "A private tunnel cannot have protocol dtls.",
                        b -> b.publish(false).protocol("dtls")),
                refusal("A tcp tunnel takes no hostname", b -> b.protocol("tcp").hostname("a.b")),
                refusal(
                        "A tcp tunnel takes no http_version",
                        b -> b.protocol("tcp").httpVersion("http/1.1")),
                refusal(
                        "token_auth, rstream_auth and challenge_mode need protocol http.",
                        b -> b.protocol("tcp").tokenAuth(true)),
                refusal(
                        "upstream_tls and http_use_tls contradict each other.",
                        b -> b.upstreamTls(true).httpUseTls(false)),
                refusal(
                        "upstream_tls does not go with http_version http/1.1.",
                        b -> b.upstreamTls(true).httpVersion("http/1.1")),
                refusal(
                        "tls_mode passthrough leaves TLS to the service",
                        b -> b.protocol("tls").tlsMode("passthrough").mtlsAuth(true)),
                refusal("name must have 1 to 63 characters", b -> b.name("")),
                refusal("name must have 1 to 63 characters", b -> b.name("-a")),
                refusal("name must have 1 to 63 characters", b -> b.name("a b")),
                refusal("name must have 1 to 63 characters", b -> b.name("a".repeat(64))),
                refusal("name must have 1 to 63 characters", b -> b.name("tun_0123456789abcdef01234567")));
    }

    @ParameterizedTest
    @MethodSource("contradictions")
    void refusesContradictionsWith2000(String message, UnaryOperator<TunnelProperties.Builder> request) {
        Refused refused = refused(rules, request);

        assertThat(refused.error().code()).isEqualTo(2000);
        assertThat(refused.error().message()).contains(message);
    }

    static Stream<Arguments> notEnforced() {
        return Stream.of(
                refusal("geoip", b -> b.geoip(List.of("FR"))),
                refusal("trusted_ips", b -> b.trustedIps(List.of("10.0.0.0/8"))),
                refusal("tls_alpns", b -> b.publish(false).tlsAlpns(List.of("h2"))),
                refusal("tls_alpns", b -> b.protocol("tls").tlsAlpns(List.of("h2"))),
                refusal("tls_min_version", b -> b.tlsMinVersion("tls1.3")),
                refusal("tls_ciphers", b -> b.tlsCiphers(List.of("X"))),
                refusal("tls_mode", b -> b.tlsMode("terminated")),
                refusal("mtls_auth", b -> b.mtlsAuth(true)),
                refusal("mtls_cacert_pem", b -> b.mtlsCacertPem("pem")),
                refusal("http_version h2c", b -> b.httpVersion("h2c")),
                refusal("http_version h3", b -> b.httpVersion("h3")),
                refusal("type datagram", b -> b.type("datagram").publish(false)),
                refusal("protocol tls", b -> b.protocol("tls")),
                refusal("protocol dtls", b -> b.protocol("dtls")),
                refusal("protocol quic", b -> b.protocol("quic")),
                refusal("protocol webtty", b -> b.protocol("webtty")),
                refusal("protocol tls", b -> b.protocol("tls").publish(false)),
                refusal("token_auth", b -> b.tokenAuth(true)),
                refusal("rstream_auth", b -> b.rstreamAuth(true)),
                refusal("challenge_mode", b -> b.challengeMode(true)),
                refusal("upstream_tls", b -> b.upstreamTls(true)),
                refusal("http_use_tls", b -> b.httpUseTls(true)),
                refusal("datagram_guaranteed_delivery", b -> b.datagramGuaranteedDelivery(true)));
    }

    static Stream<Arguments> tooMuch() {
        return Stream.of(
                refusal("labels has 65 entries; at most 64", b -> b.labels(labels(65, 1))),
                refusal("A label's key has at most 256 bytes.", b -> b.labels(Map.of("\u00e9".repeat(129), "v"))),
                refusal("A label's value has at most 4096 bytes.", b -> b.labels(Map.of("k", "v".repeat(4_097)))),
                refusal("geoip has 65 entries", b -> b.geoip(Collections.nCopies(65, "FR"))),
                refusal("trusted_ips has 65 entries", b -> b.trustedIps(Collections.nCopies(65, "::1"))),
                refusal("tls_alpns has 65 entries", b -> b.tlsAlpns(Collections.nCopies(65, "h2"))),
                refusal("tls_ciphers has 65 entries", b -> b.tlsCiphers(Collections.nCopies(65, "X"))),
                refusal("at most 16384 are allowed", b -> b.labels(labels(64, 254))),
                refusal("at most 16384 are allowed", b -> b.mtlsCacertPem("x".repeat(16_385))),
                refusal("at most 16384 are allowed", b -> b.hostname("x".repeat(16_385))),
                refusal("at most 16384 are allowed", b -> b.type("x".repeat(16_385))),
                refusal("at most 16384 are allowed", b -> b.tlsAlpns(List.of("x".repeat(16_385)))));
    }

    @ParameterizedTest
    @MethodSource("tooMuch")
    void refusesMoreThanFitsWith2000(String message, UnaryOperator<TunnelProperties.Builder> request) {
        Refused refused = refused(rules, request);

        assertThat(refused.error().code()).isEqualTo(2000);
        assertThat(refused.error().message()).contains(message).hasSizeLessThan(500);
    }

    @Test
    void takesAsManyLabelsAsFit() {
        Map<String, String> labels = labels(64, 240);

        assertThat(accepted(b -> b.labels(labels)).labels()).isEqualTo(labels);
    }

    @ParameterizedTest
    @MethodSource("httpInAllForms")
    void ignoresAlpnNamesOfHttpTunnels(UnaryOperator<TunnelProperties.Builder> request) {
        TunnelProperties effective = accepted(b -> request.apply(b).tlsAlpns(List.of("h2")));

        assertThat(effective.protocol()).isEqualTo("http");
        assertThat(effective.tlsAlpns()).isEmpty();
    }

    static Stream<UnaryOperator<TunnelProperties.Builder>> httpInAllForms() {
        return Stream.of(b -> b, b -> b.protocol("http"), b -> b.publish(false).protocol("http"));
    }

    @ParameterizedTest
    @MethodSource("notEnforced")
    void refusesWhatItDoesNotEnforceWith5000AndTheName(String name, UnaryOperator<TunnelProperties.Builder> request) {
        Refused refused = refused(rules, request);

        assertThat(refused.error().code()).isEqualTo(5000);
        assertThat(refused.error().message()).contains(name);
    }

    @Test
    void refusesTcpWithoutAPortRange() {
        Refused refused = refused(new PropertyRules(false), b -> b.protocol("tcp"));

        assertThat(refused.error().code()).isEqualTo(5000);
        assertThat(refused.error().message()).contains("protocol tcp");
    }

    @Test
    void namesAllProblemsAtOnce() {
        Refused refused = refused(rules, b -> b.type("x").name(""));

        assertThat(refused.error().message())
                .contains("type has an unknown value.")
                .contains("name must have");
    }

    private static Map<String, String> labels(int count, int valueLength) {
        Map<String, String> labels = new HashMap<>();
        for (int i = 0; i < count; i++) {
            labels.put("label-" + i, "v".repeat(valueLength));
        }
        return labels;
    }

    private TunnelProperties accepted(UnaryOperator<TunnelProperties.Builder> request) {
        PropertyDecision decision =
                rules.decide(request.apply(TunnelProperties.builder()).build());
        assertThat(decision).isInstanceOf(Accepted.class);
        return ((Accepted) decision).properties();
    }

    private static Refused refused(PropertyRules rules, UnaryOperator<TunnelProperties.Builder> request) {
        PropertyDecision decision =
                rules.decide(request.apply(TunnelProperties.builder()).build());
        assertThat(decision).isInstanceOf(Refused.class);
        return (Refused) decision;
    }

    private static Arguments refusal(String message, UnaryOperator<TunnelProperties.Builder> request) {
        return Arguments.of(message, request);
    }
}
