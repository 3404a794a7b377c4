package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.api.v1alpha1.AgentReplacement;
import io.rstream.api.v1alpha1.NextAgent;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplacementModeTest {

    @ParameterizedTest
    @CsvSource({
        "     ,              , wanted, false, RollingUpdate",
        "     ,              , wanted, true,  Recreate",
        "     ,              , other,  true,  RollingUpdate",
        "RollingUpdate, engine, wanted, true,  Recreate",
        "Recreate,      engine, wanted, false, Recreate",
        "Recreate,      engine, other,  true,  Recreate",
        "Recreate,      before, wanted, false, RollingUpdate",
        "Recreate,      before, wanted, true,  Recreate",
    })
    @Tag("parity-76")
    void letsTheOldAgentGoFirstWhereTheEngineRefusesTwo(
            String mode, String engine, String hash, boolean refused, String chosen) {
        var status = RstreamTunnelStatus.builder()
                .agentReplacement(mode == null ? null : new AgentReplacement(mode, engine))
                .nextAgent(new NextAgent("b", hash, "in use", refused))
                .build();

        assertThat(ReplacementMode.choose(status, "engine", "wanted"))
                .isEqualTo(new AgentReplacement(chosen, "engine"));
    }
}
