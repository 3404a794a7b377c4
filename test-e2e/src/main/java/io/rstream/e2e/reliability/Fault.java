package io.rstream.e2e.reliability;

import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One thing that breaks.
 *
 * @param name what the table calls it
 * @param noticed what the status has to say because of it
 * @param strike breaks it
 * @param held how long it stays broken before anything is expected of the status; zero when the status has to say so meanwhile
 * @param lift ends the fault after it was held
 * @param truth whether a status says what is true
 * @param repair brings back what is expected to work; null when that is not up to the user
 */
public record Fault(
        String name,
        String noticed,
        Step strike,
        Duration held,
        Step lift,
        Predicate<RstreamTunnelStatus> truth,
        @Nullable Step repair) {

    /** Something that is done to the installation. */
    @FunctionalInterface
    public interface Step {
        /** Does nothing. */
        Step NOTHING = _ -> {};

        /** Does it. */
        void take(Scene scene) throws Exception;
    }

    /** A fault that the status has to show while it lasts. */
    static Fault shown(
            String name, String noticed, Step strike, Predicate<RstreamTunnelStatus> truth, @Nullable Step repair) {
        return new Fault(name, noticed, strike, Duration.ZERO, Step.NOTHING, truth, repair);
    }

    /** A fault that keeps the operator from its work; meanwhile the Service's port is renamed, which the status has to show after it. */
    static Fault outage(String name, Duration held, Step strike, Step lift) {
        return new Fault(
                "%s for %d s".formatted(name, held.toSeconds()),
                "port renamed meanwhile; counted from the end",
                scene -> {
                    strike.take(scene);
                    scene.renamePort();
                },
                held,
                lift,
                says(ConditionType.RESOLVED, Status.FALSE, Reason.SERVICE_PORT_MISSING),
                Scene::namePortBack);
    }

    /** Whether a condition has this status and reason. */
    static Predicate<RstreamTunnelStatus> says(ConditionType type, Status status, Reason reason) {
        return observed -> Conditions.find(observed.conditions(), type)
                .filter(condition ->
                        condition.status() == status && condition.reason().equals(reason.code()))
                .isPresent();
    }

    /** Whether a condition has this status. */
    static Predicate<RstreamTunnelStatus> is(ConditionType type, Status status) {
        return observed -> Conditions.find(observed.conditions(), type)
                .filter(condition -> condition.status() == status)
                .isPresent();
    }
}
