package io.rstream.e2e.reliability;

import static io.rstream.e2e.reliability.Fault.is;
import static io.rstream.e2e.reliability.Fault.outage;
import static io.rstream.e2e.reliability.Fault.says;
import static io.rstream.e2e.reliability.Fault.shown;

import io.rstream.api.v1alpha1.Condition.Status;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.e2e.install.Tenant;
import io.rstream.testcluster.Call;
import io.rstream.testcluster.FaultyApi;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The faults of docs/reliability.md. */
public final class Faults {

    private static final Duration SLOW = Duration.ofSeconds(5);

    private Faults() {}

    /** Processes that die, and an API server that is away. */
    public static List<Fault> ofProcesses(Duration away) {
        return List.of(
                shown(
                        "operator killed and started again",
                        "port renamed meanwhile",
                        scene -> {
                            scene.installation().operator().kill();
                            scene.renamePort();
                            scene.installation().startOperator();
                        },
                        says(ConditionType.RESOLVED, Status.FALSE, Reason.SERVICE_PORT_MISSING),
                        Scene::namePortBack),
                shown(
                        "agent killed",
                        "not ready",
                        scene -> scene.agent().kill(),
                        is(ConditionType.READY, Status.FALSE),
                        null),
                shown(
                        "engine killed",
                        "not ready",
                        scene -> scene.installation().engine().kill(),
                        is(ConditionType.READY, Status.FALSE),
                        scene -> scene.installation().engine().restart()),
                outage(
                        "API server away",
                        away,
                        scene -> scene.installation().api().cut(),
                        scene -> scene.installation().api().restore()));
    }

    /** An API server that answers errors, or late. */
    public static List<Fault> ofAnswers(Duration held) {
        var answered = Stream.of(
                        answers("API server answers writes with 409", 409, held, Call::writes),
                        answers(
                                "API server answers everything with 429",
                                429,
                                held,
                                call -> !call.verb().equals("watch")),
                        answers(
                                "API server answers everything with 500",
                                500,
                                held,
                                call -> !call.verb().equals("watch")),
                        outage(
                                "API server ends watches and answers new ones with 410",
                                held,
                                scene -> {
                                    scene.installation()
                                            .api()
                                            .answer(call -> call.verb().equals("watch"), 410, Integer.MAX_VALUE);
                                    scene.installation().api().cut();
                                    scene.installation().api().restore();
                                },
                                Faults::behave))
                .toList();
        var slow = shown(
                "API server slow by 5 s",
                "port renamed",
                scene -> {
                    scene.installation().api().delay(SLOW);
                    scene.renamePort();
                },
                says(ConditionType.RESOLVED, Status.FALSE, Reason.SERVICE_PORT_MISSING),
                Scene::namePortBack);
        return Stream.concat(answered.stream(), Stream.of(slow)).toList();
    }

    /** Objects that the tunnel refers to are removed and come back. */
    public static List<Fault> ofObjects() {
        return List.of(
                shown(
                        "Secret removed",
                        "secret missing",
                        scene -> scene.remove("secret", Tenant.CREDENTIALS),
                        says(ConditionType.RESOLVED, Status.FALSE, Reason.SECRET_MISSING),
                        scene -> scene.tenant()
                                .secret(Tenant.CREDENTIALS, scene.installation().token())),
                shown(
                        "Service removed",
                        "Service missing",
                        scene -> scene.remove("service", "web"),
                        says(ConditionType.RESOLVED, Status.FALSE, Reason.SERVICE_MISSING),
                        Scene::namePortBack),
                shown(
                        "connection removed and created again",
                        "connection missing",
                        scene -> scene.remove("rstreamconnection", "default"),
                        says(ConditionType.RESOLVED, Status.FALSE, Reason.CONNECTION_MISSING),
                        Scene::connect));
    }

    /** Ends what an API server was told to do wrong. */
    public static void behave(Scene scene) {
        FaultyApi api = scene.installation().api();
        api.behave();
        api.restore();
    }

    private static Fault answers(String name, int status, Duration held, Predicate<Call> which) {
        return outage(
                name,
                held,
                scene -> scene.installation().api().answer(which, status, Integer.MAX_VALUE),
                Faults::behave);
    }
}
