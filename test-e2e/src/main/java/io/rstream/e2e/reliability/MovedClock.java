package io.rstream.e2e.reliability;

import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.e2e.install.Installation;
import io.rstream.operator.OperatorOptions;
import io.rstream.operator.OperatorProcess;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * An operator inside this process, in place of the installation's, whose clock can be moved. Agents and engine are left out:
 * they measure time with the monotonic clock, and read the other one for certificates and tokens only.
 */
public final class MovedClock implements InstantSource, AutoCloseable {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TOKEN = Duration.ofHours(2);

    private final Installation installation;
    private final OperatorProcess operator;
    private volatile Duration offset = Duration.ZERO;

    private MovedClock(Scene scene) throws IOException {
        this.installation = scene.installation();
        installation.operator().kill();
        var token = installation
                .cluster()
                .serviceAccountToken(Installation.OPERATOR_NAMESPACE, Installation.OPERATOR_ACCOUNT, TOKEN);
        this.operator = OperatorProcess.start(
                installation.api().configFor(token), OperatorOptions.local(agentImage(scene)), _ -> {}, this);
    }

    /** Replaces the operator. */
    public static MovedClock start(Scene scene) throws IOException {
        return new MovedClock(scene);
    }

    @Override
    public Instant instant() {
        return InstantSource.system().instant().plus(offset);
    }

    /** An hour forth and an hour back. */
    public List<Fault> faults() {
        return List.of(move("forth", HOUR), move("back", HOUR.negated()));
    }

    /** Brings the installation's own operator back. */
    @Override
    public void close() {
        operator.close();
        installation.startOperator();
    }

    private Fault move(String direction, Duration by) {
        return Fault.shown(
                "clock moved %s by an hour".formatted(direction),
                "port renamed",
                scene -> {
                    offset = by;
                    scene.renamePort();
                },
                Fault.says(ConditionType.RESOLVED, Status.FALSE, Reason.SERVICE_PORT_MISSING),
                Scene::namePortBack);
    }

    /** The image of the agents that run, so that the other operator does not replace them. */
    private static String agentImage(Scene scene) {
        return scene.installation()
                .client()
                .apps()
                .deployments()
                .inNamespace(scene.tenant().namespace())
                .withName(scene.tenant().agentDeployment("web"))
                .get()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getImage();
    }
}
