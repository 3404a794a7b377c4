package io.rstream.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.e2e.install.Tenant;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;

/** Waiting for what a tunnel's conditions say and for what its callers get. */
final class Eventually {

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Duration POLL = Duration.ofMillis(250);

    private Eventually() {}

    static ConditionFactory eventually() {
        return await().atMost(LIMIT).pollInterval(POLL);
    }

    /** The condition begins with these words, in the form of {@link Tenant#words}. */
    static void says(Tenant tenant, String tunnel, ConditionType type, String words) {
        eventually()
                .untilAsserted(() -> assertThat(tenant.words(tunnel, type))
                        .as("%s; agents: %s", tenant.status(tunnel), tenant.kubectl("get", "pods"))
                        .startsWith(words));
    }

    /** All five conditions hold and a caller gets the greeting. */
    static void works(Tenant tenant) {
        eventually().untilAsserted(() -> {
            assertThat(tenant.status("web").conditions())
                    .as("%s", tenant.status("web"))
                    .hasSize(5)
                    .allSatisfy(
                            condition -> assertThat(condition.status().value()).isEqualTo("True"));
            assertThat(tenant.call("web")).isEqualTo(tenant.greeting());
        });
    }
}
