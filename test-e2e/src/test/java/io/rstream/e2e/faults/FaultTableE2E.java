package io.rstream.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.e2e.install.Installation;
import io.rstream.e2e.reliability.Fault;
import io.rstream.e2e.reliability.FaultResult;
import io.rstream.e2e.reliability.FaultRun;
import io.rstream.e2e.reliability.Faults;
import io.rstream.e2e.reliability.MovedClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Short forms of those rows of docs/reliability.md that no other test of this package holds: no request is lost, the status
 * becomes true, and everything recovers without help.
 */
class FaultTableE2E {

    private static final Duration HELD = Duration.ofSeconds(3);

    private FaultRun run;

    @BeforeEach
    void start() throws Exception {
        run = FaultRun.start(Installation.shared());
    }

    @AfterEach
    void stop() {
        run.close();
    }

    @Test
    void losesNoRequestWhileTheApiServerAnswersErrors() throws Exception {
        var results = all(Faults.ofAnswers(HELD));

        assertThat(results).hasSize(5).allSatisfy(FaultTableE2E::costsNothing);
    }

    @Test
    void losesNoRequestWhileObjectsAreAwayOrTheClockMoves() throws Exception {
        List<FaultResult> results;
        try (var clock = MovedClock.start(run.scene())) {
            results = all(Stream.concat(Faults.ofObjects().stream(), clock.faults().stream())
                    .toList());
        }

        assertThat(results).hasSize(5).allSatisfy(FaultTableE2E::costsNothing);
    }

    @Test
    void endsWithANamespaceThatWasDeletedWhileTheOperatorWasDown() throws Exception {
        var namespace = run.scene().tenant().namespace();

        run.deleteNamespaceWithoutOperator();

        assertThat(Installation.shared()
                        .client()
                        .namespaces()
                        .withName(namespace)
                        .get())
                .isNull();
    }

    private List<FaultResult> all(List<Fault> faults) throws Exception {
        var results = new ArrayList<FaultResult>();
        for (var fault : faults) {
            results.add(run.run(fault));
        }
        return results;
    }

    private static void costsNothing(FaultResult result) {
        assertThat(result.lost()).as(result.name()).hasValue(0);
        assertThat(result.secondsToTruth()).as(result.name()).isPresent();
    }
}
