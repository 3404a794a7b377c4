package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.testcluster.LocalCluster;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One status, two authors: operator and agent write their parts by server-side apply without losing the other's. */
class SharedStatusIT {

    private static final Instant NOW = Instant.parse("2026-12-01T10:00:00Z");

    private static LocalCluster cluster;
    private String namespace;

    @BeforeAll
    static void installDefinitions() {
        cluster = LocalCluster.shared();
        cluster.installCrds();
    }

    @BeforeEach
    void createTunnel() {
        namespace = cluster.createNamespace("status");
        var tunnel = tunnel();
        tunnel.setSpec(Yaml.tunnel("target: {service: {name: web, port: http}}"));
        cluster.client().resource(tunnel).create();
    }

    @Test
    @Tag("parity-128")
    void keepsBothPartsWhoeverWritesLast() {
        write(WellKnown.FIELD_MANAGER_OPERATOR, operatorPart(Condition.Status.FALSE, Reason.WAITING_FOR_TUNNEL));
        write(WellKnown.FIELD_MANAGER_AGENT, agentPart());

        write(WellKnown.FIELD_MANAGER_OPERATOR, operatorPart(Condition.Status.TRUE, Reason.READY));

        var status = stored();
        assertThat(status.conditions())
                .extracting(
                        condition -> condition.type() + "=" + condition.status().value())
                .containsExactlyInAnyOrder("Accepted=True", "Ready=True", "TunnelReady=True");
        assertThat(status.tunnelID()).isEqualTo("t-1");
        assertThat(status.target()).isEqualTo("web.demo.svc:80");
    }

    @Test
    void dropsWhatAnAuthorNoLongerWritesAndKeepsTheRest() {
        write(WellKnown.FIELD_MANAGER_OPERATOR, operatorPart(Condition.Status.TRUE, Reason.READY));
        write(WellKnown.FIELD_MANAGER_AGENT, agentPart());

        write(WellKnown.FIELD_MANAGER_AGENT, RstreamTunnelStatus.empty());

        var status = stored();
        assertThat(status.conditions()).extracting(Condition::type).containsExactlyInAnyOrder("Accepted", "Ready");
        assertThat(status.tunnelID()).isNull();
        assertThat(status.target()).isEqualTo("web.demo.svc:80");
    }

    private RstreamTunnelStatus operatorPart(Condition.Status ready, Reason reason) {
        var accepted =
                new Condition("Accepted", Condition.Status.TRUE, "Accepted", "Tunnel spec is accepted.", NOW, 1L);
        var summary = new Condition("Ready", ready, reason.code(), "", NOW, 1L);
        return RstreamTunnelStatus.builder()
                .observedGeneration(1L)
                .conditions(List.of(accepted, summary))
                .rstreamName("demo-web")
                .target("web.demo.svc:80")
                .build();
    }

    private RstreamTunnelStatus agentPart() {
        var online = new Condition("TunnelReady", Condition.Status.TRUE, "TunnelOnline", "Tunnel is online.", NOW, 1L);
        return RstreamTunnelStatus.builder()
                .conditions(List.of(online))
                .tunnelID("t-1")
                .forwardingAddress("https://web.example.com")
                .build();
    }

    private void write(String fieldManager, RstreamTunnelStatus status) {
        var tunnel = tunnel();
        tunnel.setStatus(status);
        cluster.client()
                .resource(tunnel)
                .subresource("status")
                .patch(new PatchContext.Builder()
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .withFieldManager(fieldManager)
                        .withForce(true)
                        .build());
    }

    private RstreamTunnelStatus stored() {
        return cluster.client().resource(tunnel()).get().observed();
    }

    private RstreamTunnel tunnel() {
        var tunnel = new RstreamTunnel();
        tunnel.setMetadata(
                new ObjectMetaBuilder().withName("web").withNamespace(namespace).build());
        return tunnel;
    }
}
