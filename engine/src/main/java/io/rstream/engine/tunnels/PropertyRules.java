package io.rstream.engine.tunnels;

import io.rstream.engine.tunnels.PropertyDecision.Accepted;
import io.rstream.engine.tunnels.PropertyDecision.Refused;
import io.rstream.protocol.HttpVersion;
import io.rstream.protocol.TlsMode;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.TunnelProtocol;
import io.rstream.protocol.TunnelType;
import io.rstream.protocol.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Defaults and refusals for the properties of a tunnel (protocol, sections 15.2 and 15.3). What contradicts itself is
 * refused with 2000, all problems in one message. What is sound but not enforced by this engine is refused with 5000 and the
 * names of the properties, never ignored: an ignored access rule would be a hole. Properties that say "no" are harmless.
 */
public final class PropertyRules {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");
    private static final int LOWEST_PORT = 1;
    private static final int HIGHEST_PORT = 65_535;

    private final boolean publishedTcp;

    /**
     * Rules of one engine.
     *
     * @param publishedTcp whether a port range for published TCP tunnels is configured
     */
    public PropertyRules(boolean publishedTcp) {
        this.publishedTcp = publishedTcp;
    }

    /** Decides on a request. Read-only properties in it are ignored. */
    public PropertyDecision decide(TunnelProperties requested) {
        List<String> problems = PropertySize.problems(requested);
        if (!problems.isEmpty()) {
            return new Refused(new WireError(WireError.INVALID_REQUEST, String.join(" ", problems)));
        }
        checkWords(requested, problems);
        checkCombinations(requested, problems);
        if (!problems.isEmpty()) {
            return new Refused(new WireError(WireError.INVALID_REQUEST, String.join(" ", problems)));
        }
        List<String> missing = notEnforced(requested);
        if (!missing.isEmpty()) {
            return new Refused(new WireError(
                    WireError.FEATURE_NOT_AVAILABLE,
                    "This engine does not offer: " + String.join(", ", missing) + "."));
        }
        return new Accepted(effective(requested));
    }

    private static void checkWords(TunnelProperties requested, List<String> problems) {
        checkWord(
                "type",
                requested.type(),
                TunnelType.of(orEmpty(requested.type())).isPresent(),
                problems);
        checkWord(
                "protocol",
                requested.protocol(),
                TunnelProtocol.of(orEmpty(requested.protocol())).isPresent(),
                problems);
        checkWord(
                "tls_mode",
                requested.tlsMode(),
                TlsMode.of(orEmpty(requested.tlsMode())).isPresent(),
                problems);
        checkWord(
                "http_version",
                requested.httpVersion(),
                HttpVersion.of(orEmpty(requested.httpVersion())).isPresent(),
                problems);
        checkWord(
                "tls_min_version",
                requested.tlsMinVersion(),
                TlsVersion.of(orEmpty(requested.tlsMinVersion())).isPresent(),
                problems);
        String name = requested.name();
        if (name != null && (!NAME.matcher(name).matches() || TunnelIds.isId(name))) {
            problems.add(
                    "name must have 1 to 63 characters of A-Z, a-z, 0-9, '.', '_', '-', begin and end with a letter"
                            + " or digit, and not look like a tunnel id.");
        }
        Integer port = requested.port();
        if (port != null && (port < LOWEST_PORT || port > HIGHEST_PORT)) {
            problems.add("port must be between 1 and 65535.");
        }
    }

    private static void checkWord(String property, @Nullable String word, boolean known, List<String> problems) {
        if (word != null && !known) {
            problems.add(property + " has an unknown value.");
        }
    }

    private static void checkCombinations(TunnelProperties requested, List<String> problems) {
        String protocol = requested.protocol();
        boolean isPrivate = Boolean.FALSE.equals(requested.publish());
        if (requested.port() != null && !TunnelProtocol.TCP.wireName().equals(protocol)) {
            problems.add("port needs protocol tcp.");
        }
        if (isPrivate) {
            checkPrivate(requested, problems);
        }
        if (TunnelProtocol.TCP.wireName().equals(protocol)) {
            checkTcp(requested, problems);
        }
        if (!fits(requested)) {
            problems.add("type " + requested.type() + " does not fit protocol " + protocol + ".");
        }
        Boolean upstreamTls = requested.upstreamTls();
        Boolean httpUseTls = requested.httpUseTls();
        if (upstreamTls != null && httpUseTls != null && !upstreamTls.equals(httpUseTls)) {
            problems.add("upstream_tls and http_use_tls contradict each other.");
        }
        if (wantsUpstreamTls(requested)
                && (HttpVersion.HTTP_1_1.wireName().equals(requested.httpVersion())
                        || HttpVersion.H2C.wireName().equals(requested.httpVersion()))) {
            problems.add("upstream_tls does not go with http_version " + requested.httpVersion() + ".");
        }
        boolean gated =
                isTrue(requested.tokenAuth()) || isTrue(requested.rstreamAuth()) || isTrue(requested.challengeMode());
        if (gated && protocol != null && !TunnelProtocol.HTTP.wireName().equals(protocol)) {
            problems.add("token_auth, rstream_auth and challenge_mode need protocol http.");
        }
        checkPassthrough(requested, problems);
    }

    private static void checkPrivate(TunnelProperties requested, List<String> problems) {
        List<String> publicOnly = new ArrayList<>();
        addIf(publicOnly, requested.hostname() != null, "hostname");
        addIf(publicOnly, requested.port() != null, "port");
        addIf(publicOnly, !requested.geoip().isEmpty(), "geoip");
        addIf(publicOnly, !requested.trustedIps().isEmpty(), "trusted_ips");
        addIf(publicOnly, requested.tlsMode() != null, "tls_mode");
        addIf(publicOnly, requested.tlsMinVersion() != null, "tls_min_version");
        addIf(publicOnly, !requested.tlsCiphers().isEmpty(), "tls_ciphers");
        addIf(publicOnly, isTrue(requested.mtlsAuth()), "mtls_auth");
        addIf(publicOnly, isTrue(requested.tokenAuth()), "token_auth");
        addIf(publicOnly, isTrue(requested.rstreamAuth()), "rstream_auth");
        addIf(publicOnly, isTrue(requested.challengeMode()), "challenge_mode");
        if (!publicOnly.isEmpty()) {
            problems.add("A private tunnel takes no " + String.join(", ", publicOnly) + ".");
        }
        String protocol = requested.protocol();
        if (protocol != null) {
            switch (TunnelProtocol.of(protocol).orElse(TunnelProtocol.HTTP)) {
                case TCP, DTLS, QUIC -> problems.add("A private tunnel cannot have protocol " + protocol + ".");
                case HTTP, TLS, WEBTTY -> {}
            }
        }
    }

    private static void checkTcp(TunnelProperties requested, List<String> problems) {
        List<String> other = new ArrayList<>();
        addIf(other, requested.hostname() != null, "hostname");
        addIf(other, requested.httpVersion() != null, "http_version");
        addIf(other, requested.tlsMode() != null, "tls_mode");
        addIf(other, !requested.tlsAlpns().isEmpty(), "tls_alpns");
        addIf(other, requested.tlsMinVersion() != null, "tls_min_version");
        addIf(other, !requested.tlsCiphers().isEmpty(), "tls_ciphers");
        addIf(other, wantsUpstreamTls(requested), "upstream_tls");
        addIf(other, isTrue(requested.mtlsAuth()), "mtls_auth");
        addIf(other, isTrue(requested.datagramGuaranteedDelivery()), "datagram_guaranteed_delivery");
        if (!other.isEmpty()) {
            problems.add("A tcp tunnel takes no " + String.join(", ", other) + ".");
        }
    }

    private static void checkPassthrough(TunnelProperties requested, List<String> problems) {
        if (!TlsMode.PASSTHROUGH.wireName().equals(requested.tlsMode())) {
            return;
        }
        boolean touchesTls = requested.tlsMinVersion() != null
                || !requested.tlsCiphers().isEmpty()
                || !requested.tlsAlpns().isEmpty()
                || isTrue(requested.mtlsAuth())
                || wantsUpstreamTls(requested);
        if (touchesTls) {
            problems.add("tls_mode passthrough leaves TLS to the service and takes no other TLS property.");
        }
    }

    /** Section 7: which type goes with which protocol. */
    private static boolean fits(TunnelProperties requested) {
        String type = requested.type();
        String protocol = requested.protocol();
        if (type == null || protocol == null || TunnelProtocol.of(protocol).isEmpty()) {
            return true;
        }
        boolean datagram = TunnelType.DATAGRAM.wireName().equals(type);
        return switch (TunnelProtocol.of(protocol).get()) {
            case HTTP -> datagram == HttpVersion.H3.wireName().equals(requested.httpVersion());
            case TLS, TCP, WEBTTY -> !datagram;
            case DTLS, QUIC -> datagram;
        };
    }

    private List<String> notEnforced(TunnelProperties requested) {
        List<String> names = new ArrayList<>();
        String protocol = requested.protocol();
        String httpVersion = requested.httpVersion();
        if (protocol != null && !TunnelProtocol.HTTP.wireName().equals(protocol)) {
            boolean offered = TunnelProtocol.TCP.wireName().equals(protocol) && publishedTcp;
            addIf(names, !offered, "protocol " + protocol);
        }
        addIf(names, TunnelType.DATAGRAM.wireName().equals(requested.type()), "type datagram");
        addIf(
                names,
                httpVersion != null && !HttpVersion.HTTP_1_1.wireName().equals(httpVersion),
                "http_version " + httpVersion);
        addIf(names, !requested.geoip().isEmpty(), "geoip");
        addIf(names, !requested.trustedIps().isEmpty(), "trusted_ips");
        addIf(names, requested.tlsMode() != null, "tls_mode");
        addIf(names, !requested.tlsAlpns().isEmpty() && !isHttp(requested), "tls_alpns");
        addIf(names, requested.tlsMinVersion() != null, "tls_min_version");
        addIf(names, !requested.tlsCiphers().isEmpty(), "tls_ciphers");
        addIf(names, isTrue(requested.mtlsAuth()), "mtls_auth");
        addIf(names, requested.mtlsCacertPem() != null, "mtls_cacert_pem");
        addIf(names, isTrue(requested.upstreamTls()), "upstream_tls");
        addIf(names, isTrue(requested.httpUseTls()), "http_use_tls");
        addIf(names, isTrue(requested.tokenAuth()), "token_auth");
        addIf(names, isTrue(requested.rstreamAuth()), "rstream_auth");
        addIf(names, isTrue(requested.challengeMode()), "challenge_mode");
        addIf(names, isTrue(requested.datagramGuaranteedDelivery()), "datagram_guaranteed_delivery");
        return names;
    }

    private static TunnelProperties effective(TunnelProperties requested) {
        boolean publish = !Boolean.FALSE.equals(requested.publish());
        String protocol = requested.protocol();
        if (protocol == null && publish) {
            protocol = TunnelProtocol.HTTP.wireName();
        }
        boolean http = TunnelProtocol.HTTP.wireName().equals(protocol);
        boolean publicHttp = http && publish;
        return TunnelProperties.builder()
                .name(requested.name())
                .type(TunnelType.BYTESTREAM.wireName())
                .publish(publish)
                .protocol(protocol)
                .labels(requested.labels())
                .hostname(requested.hostname())
                .port(requested.port())
                .httpVersion(http ? HttpVersion.HTTP_1_1.wireName() : null)
                .httpUseTls(http ? false : null)
                .upstreamTls(false)
                .tokenAuth(publicHttp ? false : null)
                .rstreamAuth(publicHttp ? false : null)
                .challengeMode(publicHttp ? false : null)
                .mtlsAuth(publicHttp ? false : null)
                .allowCrossRegionRouting(requested.allowCrossRegionRouting())
                .build();
    }

    /** Where tls_alpns has no effect and is ignored (protocol, section 15.3). */
    private static boolean isHttp(TunnelProperties requested) {
        String protocol = requested.protocol();
        return protocol == null
                ? !Boolean.FALSE.equals(requested.publish())
                : TunnelProtocol.HTTP.wireName().equals(protocol);
    }

    private static boolean wantsUpstreamTls(TunnelProperties requested) {
        return isTrue(requested.upstreamTls()) || isTrue(requested.httpUseTls());
    }

    private static boolean isTrue(@Nullable Boolean value) {
        return Boolean.TRUE.equals(value);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static void addIf(List<String> names, boolean condition, String name) {
        if (condition) {
            names.add(name);
        }
    }
}
