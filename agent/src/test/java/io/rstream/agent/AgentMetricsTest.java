package io.rstream.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.FailureKind;
import io.rstream.agent.session.OnlineTunnel;
import io.rstream.agent.session.TunnelEvent;
import io.rstream.agent.stream.ActiveStreams;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AgentMetricsTest {
    private final ActiveStreams active = new ActiveStreams();
    private final AgentMetrics metrics = new AgentMetrics(new TunnelName("shop", "web"), active);

    private String value(String meter) {
        return metrics.registry()
                .scrape()
                .lines()
                .filter(line -> line.startsWith(meter + "{"))
                .findFirst()
                .orElse("");
    }

    @Tag("parity-150")
    @Test
    void everyMeterNamesItsTunnel() {
        assertThat(metrics.registry().scrape().lines().filter(line -> !line.startsWith("#")))
                .hasSize(10)
                .allSatisfy(line -> assertThat(line)
                        .startsWith("rstream_agent_")
                        .contains("tunnel_name=\"web\"", "tunnel_namespace=\"shop\""));
    }

    @Tag("parity-150")
    @Test
    void saysWhetherTheTunnelIsOnlineAndHowOftenItCameBack() {
        metrics.tunnel(new TunnelEvent.Connecting());
        metrics.tunnel(new TunnelEvent.Online(new OnlineTunnel("t", "https://a")));
        assertThat(value("rstream_agent_tunnel_online")).endsWith(" 1.0");
        assertThat(value("rstream_agent_reconnects_total")).endsWith(" 0.0");

        metrics.tunnel(new TunnelEvent.Disconnected("no", FailureKind.PASSING));

        assertThat(value("rstream_agent_tunnel_online")).endsWith(" 0.0");
        assertThat(value("rstream_agent_reconnects_total")).endsWith(" 1.0");
    }

    @Test
    void saysWhetherTheServiceCanBeReached() {
        assertThat(value("rstream_agent_target_reachable")).endsWith(" 1.0");

        metrics.target("cannot connect");
        assertThat(value("rstream_agent_target_reachable")).endsWith(" 0.0");
        metrics.target("");

        assertThat(value("rstream_agent_target_reachable")).endsWith(" 1.0");
    }
}
