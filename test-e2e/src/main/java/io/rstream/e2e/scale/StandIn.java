package io.rstream.e2e.scale;

import io.rstream.e2e.scale.DeploymentWatch.Seen;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Marks each Deployment available as soon as it is seen, in place of the Deployment controller and a node. Thread-safe. */
final class StandIn implements Consumer<Seen> {

    private final RawApi api;
    private final InstantSource clock;
    private final Map<String, Long> marked = new ConcurrentHashMap<>();
    private final AtomicInteger failures = new AtomicInteger();

    StandIn(RawApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    @Override
    public void accept(Seen deployment) {
        var before = marked.put(deployment.namespace() + "/" + deployment.name(), deployment.generation());
        if (before == null || before < deployment.generation()) {
            Thread.ofVirtual().start(() -> mark(deployment));
        }
    }

    /** How many Deployments could not be marked. */
    int failures() {
        return failures.get();
    }

    private void mark(Seen deployment) {
        try {
            api.merge(
                    "/apis/apps/v1/namespaces/%s/deployments/%s/status"
                            .formatted(deployment.namespace(), deployment.name()),
                    status(deployment.generation(), clock.instant().truncatedTo(ChronoUnit.SECONDS)));
        } catch (IOException failed) {
            failures.incrementAndGet();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static String status(long generation, Instant now) {
        return """
                {"status": {"observedGeneration": %1$d, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1,
                "availableReplicas": 1, "conditions": [{"type": "Available", "status": "True",
                "reason": "MinimumReplicasAvailable", "message": "Deployment has minimum availability.",
                "lastUpdateTime": "%2$s", "lastTransitionTime": "%2$s"}]}}""".formatted(generation, now);
    }
}
