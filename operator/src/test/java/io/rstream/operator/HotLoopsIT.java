package io.rstream.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.testcluster.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Errors that last: the operator tries again, but after the first ten seconds no object gets more than one write in ten seconds,
 * refused ones counted. Twenty seconds by default; {@code -Dhotloops.seconds=120} holds the errors for two minutes.
 */
class HotLoopsIT {

    private static final Duration FIRST_TRIES = Duration.ofSeconds(10);
    private static final Duration HELD = Duration.ofSeconds(Integer.getInteger("hotloops.seconds", 20));
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final List<Integer> ERRORS = List.of(409, 429, 500);
    private static final List<Integer> REFUSALS = List.of(403, 422);

    private OperatorHarness harness;

    @BeforeEach
    void start() throws Exception {
        harness = OperatorHarness.start();
    }

    @AfterEach
    void stop() {
        harness.close();
    }

    @Test
    @Tag("parity-136")
    void writesNoObjectMoreThanOnceInTenSecondsWhileAnErrorLasts() {
        var namespaces = new ArrayList<String>();
        for (var error : ERRORS) {
            namespaces.add(answered(error, "rstreamtunnels", "status"));
            namespaces.add(answered(error, "rstreamtunnels", ""));
            namespaces.add(answered(error, "rstreamconnections", "status"));
            namespaces.add(answered(error, "deployments", ""));
            namespaces.add(answered(error, "configmaps", ""));
        }
        REFUSALS.forEach(error -> namespaces.add(answered(error, "deployments", "")));
        namespaces.addAll(withSomethingMissing());

        hold(FIRST_TRIES);
        harness.api().forgetCalls();
        hold(HELD);

        var limit = HELD.dividedBy(PERIOD);
        assertThat(writesByObject(namespaces))
                .allSatisfy((object, writes) -> assertThat(writes)
                        .as("writes of %s within %s", object, HELD)
                        .isLessThanOrEqualTo(limit));
    }

    /** A namespace with a tunnel, in which the writes of one resource are answered with an error. */
    private String answered(int error, String resource, String subresource) {
        var namespace = harness.namespace();
        Predicate<Call> these = call -> call.writes()
                && call.namespace().equals(namespace)
                && call.resource().equals(resource)
                && call.subresource().equals(subresource);
        harness.api().answer(these, error, Integer.MAX_VALUE);
        harness.secret(namespace);
        harness.connection(namespace);
        harness.service(namespace);
        harness.tunnel(namespace, "web", "");
        return namespace;
    }

    private List<String> withSomethingMissing() {
        var withoutConnection = harness.namespace();
        harness.service(withoutConnection);
        var withoutSecret = harness.namespace();
        harness.connection(withoutSecret);
        harness.service(withoutSecret);
        var withoutService = harness.namespace();
        harness.secret(withoutService);
        harness.connection(withoutService);
        var all = List.of(withoutConnection, withoutSecret, withoutService);
        all.forEach(namespace -> harness.tunnel(namespace, "web", ""));
        return all;
    }

    private Map<String, Long> writesByObject(List<String> namespaces) {
        return harness.writes().stream()
                .filter(call -> namespaces.contains(call.namespace()))
                .collect(Collectors.groupingBy(
                        call -> "%s %s/%s in the namespace of case %d, answered with %d"
                                .formatted(
                                        call.resource(),
                                        call.name(),
                                        call.subresource(),
                                        namespaces.indexOf(call.namespace()),
                                        call.status()),
                        Collectors.counting()));
    }

    private static void hold(Duration time) {
        await().pollDelay(time).atMost(time.plusMinutes(1)).until(() -> true);
    }
}
