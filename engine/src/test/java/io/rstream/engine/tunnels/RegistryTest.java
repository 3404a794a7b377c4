package io.rstream.engine.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.protocol.TunnelProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RegistryTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);
    private final Registry registry =
            new Registry(new EngineMetrics(meters), new Reservations(Duration.ofSeconds(60), nanoTime::get), 4);
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

    @Test
    void letsTheNewestClaimOfOneObjectServeAndTheOlderOnesAfterIt() {
        Tunnel first = online(shared(new OwnerFake(), "tun_1", "uid-1"));
        Tunnel second = online(shared(new OwnerFake(), "tun_2", "uid-1"));
        Tunnel third = online(shared(new OwnerFake(), "tun_3", "uid-1"));

        registry.remove(second);

        assertThat(registry.findByHostname("web.t.example.com")).containsSame(third);
        assertThat(registry.findByIdOrName("web")).containsSame(third);
        registry.remove(third);
        assertThat(registry.findByHostname("web.t.example.com")).containsSame(first);
        assertThat(registry.findById("tun_1")).containsSame(first);
        registry.remove(first);
        assertThat(registry.findByHostname("web.t.example.com")).isEmpty();
    }

    @Test
    void doesNotLetAClaimServeBeforeItIsOnline() {
        Tunnel first = online(shared(new OwnerFake(), "tun_1", "uid-1"));

        registry.claim(shared(new OwnerFake(), "tun_2", "uid-1"));

        assertThat(registry.findByHostname("web.t.example.com")).containsSame(first);
    }

    @Test
    void sharesNothingWithAnotherObjectAnotherPrincipalOrTheSameSession() {
        Tunnel first = online(shared(owner, "tun_1", "uid-1"));

        List<Claim> claims = Stream.of(
                        shared(new OwnerFake(), "tun_2", "uid-2"),
                        shared(new OwnerFake(), "tun_3", ""),
                        http(new OwnerFake(), "tun_4", "web", "web.t.example.com"),
                        shared(stranger, "tun_5", "uid-1"),
                        shared(owner, "tun_6", "uid-1"))
                .map(registry::claim)
                .toList();

        assertThat(claims).allSatisfy(claim -> {
            assertThat(claim.holders()).containsExactly(first);
            assertThat(claim.taken()).containsExactlyInAnyOrder(Claim.Kind.NAME, Claim.Kind.HOSTNAME);
        });
    }

    @Test
    void sharesNothingWhereNoLabelSaysWhichObjectIsServed() {
        online(shared(new OwnerFake(), "tun_1", ""));

        assertThat(registry.claim(shared(new OwnerFake(), "tun_2", "")).granted())
                .isFalse();
    }

    @Test
    void limitsTheClaimsOnOneTunnel() {
        for (int i = 1; i <= 4; i++) {
            online(shared(new OwnerFake(), "tun_" + i, "uid-1"));
        }

        assertThat(registry.claim(shared(new OwnerFake(), "tun_5", "uid-1")).granted())
                .isFalse();
        registry.remove(registry.findById("tun_2").orElseThrow());
        assertThat(registry.claim(shared(new OwnerFake(), "tun_6", "uid-1")).granted())
                .isTrue();
    }

    @Test
    void keepsNothingForALostClaimWhileAnotherHoldsTheName() {
        Tunnel first = online(shared(new OwnerFake(), "tun_1", "uid-1"));
        Tunnel second = online(shared(new OwnerFake(), "tun_2", "uid-1"));

        registry.lose(second);
        registry.remove(first);

        assertThat(registry.claim(http(stranger, "tun_3", "web", "web.t.example.com"))
                        .granted())
                .isTrue();
    }

    @Test
    void findsEachOtherClaimOnceAlsoForOneThatIsGone() {
        Tunnel first = online(shared(new OwnerFake(), "tun_1", "uid-1"));
        Tunnel second = online(shared(new OwnerFake(), "tun_2", "uid-1"));
        Tunnel third = online(shared(new OwnerFake(), "tun_3", "uid-1"));
        registry.remove(third);

        assertThat(registry.findOther(third, Claim.Kind.HOSTNAME, List.of(third)))
                .containsSame(second);
        assertThat(registry.findOther(third, Claim.Kind.HOSTNAME, List.of(third, second)))
                .containsSame(first);
        assertThat(registry.findOther(third, Claim.Kind.HOSTNAME, List.of(third, second, first)))
                .isEmpty();
        assertThat(registry.findOther(third, Claim.Kind.PORT, List.of())).isEmpty();
    }

    private Tunnel online(Tunnel tunnel) {
        assertThat(registry.claim(tunnel).granted()).isTrue();
        registry.publish(tunnel);
        return tunnel;
    }

    private static Tunnel shared(OwnerFake owner, String id, String uid) {
        TunnelProperties properties = http(owner, id, "web", "web.t.example.com").properties().toBuilder()
                .labels(Map.of("rstream.kubernetes.uid", uid))
                .build();
        return new Tunnel(id, properties, owner);
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
