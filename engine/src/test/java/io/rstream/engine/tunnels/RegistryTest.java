package io.rstream.engine.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.protocol.TunnelProperties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RegistryTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Registry registry = new Registry(new EngineMetrics(meters));
    private final OwnerFake owner = new OwnerFake();

    @Test
    void findsATunnelOnlyOnceItIsPublished() {
        Tunnel tunnel = http("tun_1", "web", "web.t.example.com");

        registry.claim(tunnel);
        boolean before = registry.findByHostname("web.t.example.com").isPresent();
        registry.publish(tunnel);

        assertThat(before).isFalse();
        assertThat(registry.findByHostname("web.t.example.com")).containsSame(tunnel);
        assertThat(registry.findByIdOrName("web")).containsSame(tunnel);
        assertThat(registry.findByIdOrName("tun_1")).containsSame(tunnel);
    }

    @Test
    void namesTheHolderAndReservesNothingWhenOneClaimIsTaken() {
        Tunnel first = http("tun_1", "web", "web.t.example.com");
        registry.claim(first);

        var holders = registry.claim(http("tun_2", "other", "web.t.example.com"));

        assertThat(holders).containsExactly(first);
        assertThat(registry.claim(http("tun_3", "other", "free.t.example.com"))).isEmpty();
    }

    @Test
    void freesEverythingWhenATunnelGoes() {
        Tunnel tunnel = http("tun_1", "web", "web.t.example.com");
        AtomicInteger gone = new AtomicInteger();
        registry.claim(tunnel);
        registry.publish(tunnel);
        tunnel.whenGone(gone::incrementAndGet);

        boolean removed = registry.remove(tunnel);

        assertThat(removed).isTrue();
        assertThat(registry.remove(tunnel)).isFalse();
        assertThat(gone).hasValue(1);
        assertThat(tunnel.online()).isFalse();
        assertThat(registry.findByHostname("web.t.example.com")).isEmpty();
        assertThat(registry.claim(http("tun_2", "web", "web.t.example.com"))).isEmpty();
    }

    @Test
    void doesNotPublishWhatIsGoneAlready() {
        Tunnel tunnel = http("tun_1", "web", "web.t.example.com");
        registry.claim(tunnel);
        registry.remove(tunnel);

        registry.publish(tunnel);

        assertThat(tunnel.online()).isFalse();
        assertThat(meters.get("rstream.engine.tunnels")
                        .tag("kind", "http")
                        .gauge()
                        .value())
                .isZero();
    }

    @Test
    void letsTcpTunnelsShareAHostButNotAPort() {
        Tunnel first = tcp("tun_1", 10_000);
        registry.claim(first);

        assertThat(registry.claim(tcp("tun_2", 10_001))).isEmpty();
        assertThat(registry.claim(tcp("tun_3", 10_000))).containsExactly(first);
    }

    @Test
    void countsTunnelsByKind() {
        Tunnel tunnel = tcp("tun_1", 10_000);
        registry.claim(tunnel);

        registry.publish(tunnel);
        double online =
                meters.get("rstream.engine.tunnels").tag("kind", "tcp").gauge().value();
        registry.remove(tunnel);

        assertThat(online).isEqualTo(1);
        assertThat(meters.get("rstream.engine.tunnels")
                        .tag("kind", "tcp")
                        .gauge()
                        .value())
                .isZero();
    }

    @Test
    void limitsStreams() {
        Tunnel tunnel = tcp("tun_1", 10_000);

        boolean first = tunnel.acquireStream(1);
        boolean second = tunnel.acquireStream(1);
        tunnel.releaseStream();

        assertThat(first).isTrue();
        assertThat(second).isFalse();
        assertThat(tunnel.acquireStream(1)).isTrue();
    }

    private Tunnel http(String id, String name, String hostname) {
        return new Tunnel(
                id,
                TunnelProperties.builder()
                        .id(id)
                        .name(name)
                        .publish(true)
                        .protocol("http")
                        .hostname(hostname)
                        .port(443)
                        .build(),
                owner);
    }

    private Tunnel tcp(String id, int port) {
        return new Tunnel(
                id,
                TunnelProperties.builder()
                        .id(id)
                        .publish(true)
                        .protocol("tcp")
                        .hostname("edge.example.com")
                        .port(port)
                        .build(),
                owner);
    }
}
