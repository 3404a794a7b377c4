package io.rstream.e2e.reliability;

import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import io.rstream.e2e.install.Installation;
import io.rstream.e2e.install.Tenant;
import io.rstream.e2e.reliability.Fault.Step;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Breaks things under the eyes of a steady caller and of somebody who reads the status. One tunnel stands for all faults of a
 * run; each begins when everything works.
 */
public final class FaultRun implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration BY_ITSELF = Duration.ofSeconds(20);
    // Long enough for a request to be lost, if it is going to be.
    private static final Duration AT_LEAST = Duration.ofSeconds(3);

    private final Scene scene;
    private final StatusHistory history;
    private final SteadyClient caller;

    private FaultRun(Scene scene, StatusHistory history, SteadyClient caller) {
        this.scene = scene;
        this.history = history;
        this.caller = caller;
    }

    /** Makes a tunnel and starts calling it as soon as it is ready. */
    public static FaultRun start(Installation installation)
            throws IOException, GeneralSecurityException, InterruptedException {
        var tenant = Tenant.withWebTunnel(installation, "fault");
        var history = StatusHistory.of(installation.client(), tenant.namespace(), "web");
        if (history.awaitFirst(0, FaultRun::good, LIMIT).isEmpty()) {
            throw new IllegalStateException("the tunnel is not ready within %s: %s".formatted(LIMIT, history.newest()));
        }
        var address = URI.create(String.valueOf(tenant.address("web")));
        var caller = SteadyClient.start(address, installation.engine().caFile(), tenant.greeting());
        return new FaultRun(new Scene(installation, tenant), history, caller);
    }

    /**
     * Lets one fault happen and waits until everything is good again.
     *
     * @throws IllegalStateException when it does not become good, or a status that stays wrong does not become true
     */
    public FaultResult run(Fault fault) throws Exception {
        caller.awaitSteady(System.nanoTime(), LIMIT);
        var struck = System.nanoTime();
        try {
            fault.strike().take(scene);
            var noticeable = struck;
            if (fault.held().isPositive()) {
                Thread.sleep(fault.held());
                fault.lift().take(scene);
                noticeable = System.nanoTime();
            }
            return finish(fault, struck, noticeable);
        } finally {
            Faults.behave(scene);
        }
    }

    /** The scene, for faults that need preparations. */
    public Scene scene() {
        return scene;
    }

    /** Deletes the namespace while the operator is down, starts the operator, and waits until all is gone. Comes last. */
    public FaultResult deleteNamespaceWithoutOperator() throws InterruptedException {
        var installation = scene.installation();
        installation.operator().kill();
        caller.close();
        var namespace =
                installation.client().namespaces().withName(scene.tenant().namespace());
        namespace.delete();
        Thread.sleep(Duration.ofSeconds(2));
        var started = System.nanoTime();
        installation.startOperator();
        while (namespace.get() != null) {
            if (System.nanoTime() - started > LIMIT.toNanos()) {
                throw new IllegalStateException("namespace %s is still there after %s"
                        .formatted(scene.tenant().namespace(), LIMIT));
            }
            Thread.sleep(Duration.ofMillis(50));
        }
        return new FaultResult(
                "namespace deleted while the operator is down",
                "everything gone; counted from the operator's start",
                OptionalLong.empty(),
                0,
                OptionalDouble.of(seconds(started, System.nanoTime())),
                seconds(started, System.nanoTime()));
    }

    @Override
    public void close() {
        caller.close();
        history.close();
        scene.tenant().close();
    }

    private FaultResult finish(Fault fault, long struck, long noticeable) throws Exception {
        Step repair = fault.repair();
        var truth = history.awaitFirst(noticeable, fault.truth(), repair == null ? BY_ITSELF : LIMIT);
        if (repair != null && truth.isEmpty()) {
            throw new IllegalStateException(
                    "%s: the status is not true within %s: %s".formatted(fault.name(), LIMIT, history.newest()));
        }
        var repaired = struck;
        if (repair != null) {
            Thread.sleep(AT_LEAST);
            repaired = System.nanoTime();
            repair.take(scene);
        }
        var good = history.awaitFirst(Math.max(repaired, truth.orElse(struck)), FaultRun::good, LIMIT)
                .orElseThrow(() -> new IllegalStateException(
                        "%s: not ready within %s: %s".formatted(fault.name(), LIMIT, history.newest())));
        var steady = caller.awaitSteady(struck, LIMIT);
        return new FaultResult(
                fault.name(),
                fault.noticed(),
                OptionalLong.of(caller.lost(struck)),
                caller.sent(struck),
                truth.isPresent() ? OptionalDouble.of(seconds(noticeable, truth.getAsLong())) : OptionalDouble.empty(),
                seconds(repaired, Math.max(good, steady)));
    }

    private static boolean good(RstreamTunnelStatus status) {
        return Stream.of(ConditionType.values())
                .allMatch(type -> Fault.is(type, Status.TRUE).test(status));
    }

    private static double seconds(long from, long to) {
        return (to - from) / 1e9;
    }
}
