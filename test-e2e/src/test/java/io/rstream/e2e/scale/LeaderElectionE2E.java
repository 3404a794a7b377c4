package io.rstream.e2e.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.e2e.process.JvmFlags;
import io.rstream.e2e.process.LogLine;
import io.rstream.testcluster.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Two operators compete for the Lease; the one that has it dies under load. The cluster is one of its own: no third operator works in it. */
class LeaderElectionE2E {

    private static final Logger log = LoggerFactory.getLogger(LeaderElectionE2E.class);

    private static final int TUNNELS = 60;
    private static final int PER_SECOND = 4;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    @Test
    void losesNothingAndCreatesNothingTwiceWhenTheLeaderIsKilled() throws Exception {
        try (var cluster = LocalCluster.start();
                var api = new RawApi(cluster)) {
            cluster.installCrds();
            cluster.apply(LocalCluster.repositoryRoot().resolve("config/rbac"));
            var load = new TunnelLoad(api, "elected-");
            load.prepare(TUNNELS);
            try (var seen = new ChildrenSeen(cluster.client(), "elected-0");
                    var first = MeasuredOperator.start(cluster, folder, JvmFlags.OPERATOR, "--leader-elect")) {
                first.process().log().await("Leading", LeaderElectionE2E::leading, LIMIT);
                try (var second = MeasuredOperator.start(cluster, folder, JvmFlags.OPERATOR, "--leader-elect")) {
                    second.process()
                            .log()
                            .await("Leader known", line -> line.message().equals("Leader known"), LIMIT);
                    var loading = CompletableFuture.runAsync(() -> create(load));
                    await().atMost(LIMIT).until(() -> seen.uids().size() > TUNNELS);

                    first.process().kill();

                    var killed = System.nanoTime();
                    second.process().log().await("Leading", LeaderElectionE2E::leading, LIMIT);
                    log.atInfo()
                            .addKeyValue("seconds", (System.nanoTime() - killed) / 1e9)
                            .log("The other operator took over");
                    loading.join();
                    await().atMost(LIMIT)
                            .untilAsserted(() -> assertThat(seen.uids()).hasSize(ChildrenSeen.KINDS.size() * TUNNELS));
                    await().atMost(LIMIT)
                            .untilAsserted(() -> assertThat(tunnels(cluster))
                                    .hasSize(TUNNELS)
                                    .allSatisfy(tunnel -> assertThat(
                                                    tunnel.observed().agentDeployment())
                                            .isNotNull()));
                }
                assertThat(seen.uids()).allSatisfy((_, uids) -> assertThat(uids).hasSize(1));
                assertThat(seen.deleted()).isZero();
                assertThat(seen.generations())
                        .hasSize(TUNNELS)
                        .allSatisfy((_, generation) -> assertThat(generation).isEqualTo(1));
            }
        }
    }

    private static boolean leading(LogLine line) {
        return line.message().equals("Leading");
    }

    private static void create(TunnelLoad load) {
        try {
            load.create(TUNNELS, PER_SECOND, _ -> {});
        } catch (Exception failed) {
            throw new IllegalStateException("not all tunnels were created: " + failed.getMessage(), failed);
        }
    }

    private static List<RstreamTunnel> tunnels(LocalCluster cluster) {
        return cluster.client()
                .resources(RstreamTunnel.class)
                .inNamespace("elected-0")
                .list()
                .getItems();
    }
}
