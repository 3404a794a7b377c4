package io.rstream.engine.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.protocol.TunnelProperties;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RegistryTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);
    private final Registry registry =
            new Registry(new EngineMetrics(meters), new Reservations(Duration.ofSeconds(60), nanoTime::get));
    private final OwnerFake owner = new OwnerFake();
    private final OwnerFake stranger = new OwnerFake("stranger");

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

        Claim claim = registry.claim(http("tun_2", "other", "web.t.example.com"));

        assertThat(claim.holders()).containsExactly(first);
        assertThat(claim.taken()).containsExactly(Claim.Kind.HOSTNAME);
        assertThat(registry.claim(http("tun_3", "other", "free.t.example.com")).granted())
                .isTrue();
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
        assertThat(registry.claim(http("tun_2", "web", "web.t.example.com")).granted())
                .isTrue();
    }

    @Test
    void keepsWhatALostTunnelHeldForItsPrincipalAlone() {
        lose(http("tun_1", "web", "web.t.example.com"));
        lose(tcp("tun_2", 10_000));

        Claim strange = registry.claim(http(stranger, "tun_3", "web", "web.t.example.com"));
        Claim strangePort = registry.claim(tcp(stranger, "tun_4", 10_000));

        assertThat(strange.taken()).containsExactlyInAnyOrder(Claim.Kind.NAME, Claim.Kind.HOSTNAME);
        assertThat(strange.kept()).isTrue();
        assertThat(strange.holders()).isEmpty();
        assertThat(strangePort.taken()).containsExactly(Claim.Kind.PORT);
        assertThat(registry.claim(http("tun_5", "web", "web.t.example.com")).granted())
                .isTrue();
        assertThat(registry.claim(tcp("tun_6", 10_000)).granted()).isTrue();
    }

    @Test
    void keepsNothingAnyLongerOnceThePrincipalCameBackAndLeftInOrder() {
        lose(http("tun_1", "web", "web.t.example.com"));
        Tunnel again = http("tun_2", "web", "web.t.example.com");
        registry.claim(again);

        registry.remove(again);

        assertThat(registry.claim(http(stranger, "tun_3", "web", "web.t.example.com"))
                        .granted())
                .isTrue();
    }

    @Test
    void keepsWhatALostTunnelHeldForALimitedTime() {
        lose(http("tun_1", "web", "web.t.example.com"));

        nanoTime.addAndGet(Duration.ofSeconds(60).toNanos() - 1);
        boolean before = registry.claim(http(stranger, "tun_2", "web", "web.t.example.com"))
                .granted();
        nanoTime.incrementAndGet();

        assertThat(before).isFalse();
        assertThat(registry.claim(http(stranger, "tun_3", "web", "web.t.example.com"))
                        .granted())
                .isTrue();
    }

    @Test
    void keepsALimitedNumberForOnePrincipalWithoutHarmToOthers() {
        for (int i = 0; i <= Reservations.MOST_PER_PRINCIPAL; i++) {
            lose(tcp("tun_" + i, i));
        }
        lose(tcp(stranger, "tun_x", 50_000));

        assertThat(registry.claim(tcp(stranger, "tun_y", Reservations.MOST_PER_PRINCIPAL))
                        .granted())
                .isTrue();
        assertThat(registry.claim(tcp(stranger, "tun_z", Reservations.MOST_PER_PRINCIPAL - 1))
                        .granted())
                .isFalse();
        assertThat(registry.claim(tcp("tun_v", 50_000)).granted()).isFalse();
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

        assertThat(registry.claim(tcp("tun_2", 10_001)).granted()).isTrue();
        assertThat(registry.claim(tcp("tun_3", 10_000)).holders()).containsExactly(first);
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

    private void lose(Tunnel tunnel) {
        registry.claim(tunnel);
        registry.lose(tunnel);
    }

    private Tunnel http(String id, String name, String hostname) {
        return http(owner, id, name, hostname);
    }

    private Tunnel tcp(String id, int port) {
        return tcp(owner, id, port);
    }

    private static Tunnel http(OwnerFake owner, String id, String name, String hostname) {
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

    private static Tunnel tcp(OwnerFake owner, String id, int port) {
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
