package io.rstream.agent.session;

import io.rstream.agent.config.AgentConfig.Auth;
import io.rstream.agent.config.AgentConfig.Gate;
import io.rstream.agent.config.AgentConfig.Http;
import io.rstream.agent.config.AgentConfig.Tls;
import io.rstream.agent.config.AgentConfig.Tunnel;
import io.rstream.agent.connect.AttemptException;
import io.rstream.protocol.HttpVersion;
import io.rstream.protocol.TlsMode;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.TunnelType;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the agent asks the engine for, from its configuration (operator reference, A.5; texts are public). */
final class TunnelRequest {
    /** What a tunnel object may say; webtty belongs to the hosted product. */
    private static final Set<String> PROTOCOLS = Set.of("http", "tls", "dtls", "quic", "tcp");

    private final Tunnel tunnel;
    private final @Nullable String protocol;
    private final @Nullable String type;

    private TunnelRequest(Tunnel tunnel) {
        this.tunnel = tunnel;
        this.protocol = folded(tunnel.protocol());
        this.type = folded(tunnel.type());
    }

    /**
     * The properties to send.
     *
     * @throws AttemptException permanent, for a combination that no engine accepts or this agent cannot serve
     */
    static TunnelProperties of(Tunnel tunnel) throws AttemptException {
        TunnelRequest request = new TunnelRequest(tunnel);
        request.checkNames();
        request.checkTcp();
        request.checkDatagrams();
        request.checkHttp();
        request.checkTls();
        request.checkSupported();
        return request.properties();
    }

    private void checkNames() throws AttemptException {
        require(!tunnel.name().isBlank(), "tunnel name is required");
        require(type == null || TunnelType.of(type).isPresent(), "invalid tunnel type \"" + type + "\"");
        require(protocol == null || PROTOCOLS.contains(protocol), "invalid protocol \"" + protocol + "\"");
    }

    private void checkTcp() throws AttemptException {
        Integer port = tunnel.tcpPort();
        require(port == null || isTcp(), "tcpPort requires protocol \"tcp\"");
        require(port == null || (port >= 1 && port <= 65_535), "tcpPort must be between 1 and 65535");
        if (!isTcp()) {
            return;
        }
        require(!Boolean.FALSE.equals(tunnel.publish()), "protocol \"tcp\" requires a published tunnel");
        require(!isDatagram(), "protocol \"tcp\" requires tunnel type \"bytestream\"");
        require(
                text(tunnel.hostname()) == null && tunnel.http() == null && tunnel.tls() == null,
                "protocol \"tcp\" does not support hostname, HTTP, or TLS settings");
        require(!isTrue(tunnel.upstreamTLS()), "protocol \"tcp\" does not support upstream TLS");
        require(
                !isTrue(tunnel.datagramGuaranteedDelivery()),
                "protocol \"tcp\" does not support datagram guaranteed delivery");
    }

    private void checkDatagrams() throws AttemptException {
        require(
                !isTrue(tunnel.datagramGuaranteedDelivery()) || isDatagram(),
                "datagram guaranteed delivery requires tunnel type \"datagram\"");
    }

    private void checkHttp() throws AttemptException {
        Http http = tunnel.http();
        if (http != null) {
            require(protocol == null || protocol.equals("http"), "http settings require protocol \"http\"");
            String version = folded(http.version());
            require(version == null || HttpVersion.of(version).isPresent(), "invalid http version \"" + version + "\"");
        }
    }

    private void checkTls() throws AttemptException {
        Tls tls = tunnel.tls();
        if (tls != null) {
            String mode = folded(tls.mode());
            String minimum = folded(tls.minVersion());
            require(mode == null || TlsMode.of(mode).isPresent(), "invalid tls mode \"" + mode + "\"");
            require(
                    minimum == null || TlsVersion.of(minimum).isPresent(),
                    "invalid tls min version \"" + minimum + "\"");
        }
    }

    private void checkSupported() throws AttemptException {
        require(!isDatagram(), "tunnel.type \"datagram\" is not supported by this agent yet; use bytestream");
        require(
                !"dtls".equals(protocol) && !"quic".equals(protocol),
                "tunnel.protocol \"" + protocol + "\" is not supported by this agent yet; it needs datagrams");
        require(
                tunnel.http() == null || !"h3".equals(folded(tunnel.http().version())),
                "tunnel.http.version \"h3\" is not supported by this agent yet; it needs datagrams");
    }

    private TunnelProperties properties() {
        TunnelProperties.Builder builder = TunnelProperties.builder()
                .name(tunnel.name().strip())
                .publish(isTcp() ? Boolean.TRUE : tunnel.publish())
                .type(isTcp() ? TunnelType.BYTESTREAM.wireName() : type)
                .protocol(protocol)
                .port(tunnel.tcpPort())
                .hostname(text(tunnel.hostname()))
                .labels(tunnel.labels())
                .geoip(tunnel.geoip())
                .trustedIps(tunnel.trustedIPs())
                .allowCrossRegionRouting(tunnel.allowCrossRegionRouting());
        if (!isTcp()) {
            builder.upstreamTls(tunnel.upstreamTLS()).datagramGuaranteedDelivery(tunnel.datagramGuaranteedDelivery());
            if (protocol == null || protocol.equals("http")) {
                builder.httpUseTls(tunnel.upstreamTLS());
            }
        }
        addHttp(builder, tunnel.http());
        addTls(builder, tunnel.tls());
        return builder.build();
    }

    private static void addHttp(TunnelProperties.Builder builder, @Nullable Http http) {
        if (http == null) {
            return;
        }
        Auth auth = http.auth();
        Gate gate = http.gate();
        builder.httpVersion(folded(http.version()));
        if (auth != null) {
            builder.tokenAuth(auth.token()).rstreamAuth(auth.rstream());
        }
        if (gate != null) {
            builder.challengeMode(gate.challenge());
        }
    }

    private static void addTls(TunnelProperties.Builder builder, @Nullable Tls tls) {
        if (tls != null) {
            builder.tlsMode(folded(tls.mode()))
                    .tlsMinVersion(folded(tls.minVersion()))
                    .tlsAlpns(tls.alpns())
                    .mtlsAuth(tls.mtls());
        }
    }

    private boolean isTcp() {
        return "tcp".equals(protocol);
    }

    private boolean isDatagram() {
        return TunnelType.DATAGRAM.wireName().equals(type);
    }

    private static boolean isTrue(@Nullable Boolean value) {
        return Boolean.TRUE.equals(value);
    }

    private static void require(boolean holds, String otherwise) throws AttemptException {
        if (!holds) {
            throw AttemptException.permanent(otherwise);
        }
    }

    private static @Nullable String text(@Nullable String value) {
        return value == null || value.isBlank() ? null : value.strip();
    }

    private static @Nullable String folded(@Nullable String value) {
        String stripped = text(value);
        return stripped == null ? null : stripped.toLowerCase(Locale.ROOT);
    }
}
