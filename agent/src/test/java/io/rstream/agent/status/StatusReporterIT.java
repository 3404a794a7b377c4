package io.rstream.agent.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rstream.agent.fake.FakeKubernetesApi;
import io.rstream.agent.fake.LogRecords;
import io.rstream.agent.fake.TestCertificates;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.FailureKind;
import io.rstream.agent.session.OnlineTunnel;
import io.rstream.agent.session.TunnelEvent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusReporterIT {
    private static final Instant NOON = Instant.parse("2026-12-01T12:00:00.123Z");
    private static final Clock NOON_CLOCK = Clock.fixed(NOON, ZoneOffset.UTC);
    private static final AgentIdentity AGENT = new AgentIdentity("web-pod", "hash-3", "");
    private static final TunnelEvent ONLINE = new TunnelEvent.Online(new OnlineTunnel("tunnel-1", "https://a"));
    private static final ReporterTimings NO_REFRESH = new ReporterTimings(
            Duration.ofMillis(50),
            Duration.ofMillis(200),
            Duration.ofHours(1),
            Duration.ofHours(1),
            Duration.ofSeconds(5));

    @TempDir
    private Path directory;

    private TestCertificates certificates;
    private Path account;
    private FakeKubernetesApi api;
    private StatusReporter reporter;

    @BeforeEach
    void start() throws Exception {
        certificates = TestCertificates.in(directory);
        account = FakeKubernetesApi.serviceAccount(directory, certificates, "marker-token");
        api = FakeKubernetesApi.start(certificates);
        reporter = reporter(NO_REFRESH);
    }

    @AfterEach
    void stop() throws Exception {
        reporter.close();
        api.close();
    }

    private StatusReporter reporter(Duration callLimit, Clock clock) throws Exception {
        return StatusReporter.start(
                StatusClient.of(api.uri(), account, "shop", "web", callLimit),
                AGENT,
                new TunnelName("shop", "web"),
                NO_REFRESH,
                clock,
                new Random(1));
    }

    private StatusReporter reporter(ReporterTimings timings) throws Exception {
        return StatusReporter.start(
                StatusClient.of(api.uri(), account, "shop", "web"),
                AGENT,
                new TunnelName("shop", "web"),
                timings,
                NOON_CLOCK,
                new Random(1));
    }

    /** A clock that stands still and does something whenever somebody looks at it. */
    private static Clock clock(Runnable whenRead) {
        return new Clock() {
            @Override
            public Instant instant() {
                whenRead.run();
                return NOON;
            }

            @Override
            public ZoneOffset getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
    }

    private void awaitReason(String reason) {
        await().untilAsserted(() ->
                assertThat(api.condition().path("reason").asText()).isEqualTo(reason));
    }

    @Tag("parity-106")
    @Test
    void saysThatItIsConnecting() {
        reporter.accept(new TunnelEvent.Connecting());

        awaitReason("TunnelConnecting");
        JsonNode condition = api.condition();
        assertThat(condition.path("status").asText()).isEqualTo("False");
        assertThat(condition.path("message").asText()).isEqualTo("Tunnel agent is connecting to rstream.");
        assertThat(condition.path("observedGeneration").asLong()).isEqualTo(3);
        assertThat(condition.path("lastTransitionTime").asText()).isEqualTo("2026-12-01T12:00:00Z");
    }

    @Tag("parity-106")
    @Tag("parity-107")
    @Test
    void saysThatTheTunnelIsOnlineAndWhere() {
        reporter.accept(ONLINE);

        awaitReason("TunnelOnline");
        assertThat(api.condition().path("status").asText()).isEqualTo("True");
        assertThat(api.condition().path("message").asText()).isEqualTo("Tunnel is online from agent pod web-pod.");
        assertThat(api.status().path("tunnelID").asText()).isEqualTo("tunnel-1");
        assertThat(api.status().path("forwardingAddress").asText()).isEqualTo("https://a");
    }

    @Tag("parity-107")
    @Test
    void leavesThePodOutWhenItIsUnknown() {
        TunnelStatus status = TunnelStatus.of(ONLINE, "");

        assertThat(status.message()).isEqualTo("Tunnel is online.");
    }

    @Tag("parity-106")
    @Tag("parity-130")
    @Test
    void dropsIdAndAddressWhenTheTunnelIsLost() {
        reporter.accept(ONLINE);
        awaitReason("TunnelOnline");

        reporter.accept(new TunnelEvent.Disconnected(
                "control channel closed: the engine closed the connection", FailureKind.PASSING));

        awaitReason("TunnelDisconnected");
        assertThat(api.condition().path("message").asText())
                .isEqualTo("control channel closed: the engine closed the connection");
        assertThat(api.status().has("tunnelID")).isFalse();
        assertThat(api.status().has("forwardingAddress")).isFalse();
    }

    @Tag("parity-148")
    @Test
    void saysWhatToDoWhenTheEngineRefuses() {
        String error = "connect control channel: engine error 1000: The token is not valid.";

        reporter.accept(new TunnelEvent.Disconnected(error, FailureKind.CREDENTIAL_REFUSED));

        awaitReason("TunnelRefused");
        assertThat(api.condition().path("message").asText())
                .isEqualTo(error + " " + FailureKind.CREDENTIAL_REFUSED.advice());
    }

    @Test
    void callsTheApiAsDocumented() {
        reporter.accept(ONLINE);

        await().untilAsserted(() -> assertThat(api.calls("PATCH")).hasSize(1));
        FakeKubernetesApi.Call get = api.calls("GET").getFirst();
        FakeKubernetesApi.Call patch = api.calls("PATCH").getFirst();
        assertThat(get.uri()).hasToString(FakeKubernetesApi.PATH);
        assertThat(patch.uri()).hasToString(FakeKubernetesApi.PATH + "/status?fieldManager=rstream-agent&force=true");
        assertThat(patch.contentType()).isEqualTo("application/apply-patch+yaml");
        assertThat(patch.authorization()).isEqualTo("Bearer marker-token");
        assertThat(patch.body())
                .startsWith("{\"apiVersion\":\"tunnels.rstream.io/v1alpha1\",\"kind\":\"RstreamTunnel\","
                        + "\"metadata\":{\"namespace\":\"shop\",\"name\":\"web\",\"resourceVersion\":\"10\"},"
                        + "\"status\":{\"conditions\":[{")
                .doesNotContain("marker-token", "lastError", "\"Ready\"", "hostname");
    }

    @Test
    void writesNothingThatTheObjectSaysAlready() throws Exception {
        reporter.accept(ONLINE);
        awaitReason("TunnelOnline");
        reporter.close();

        reporter = reporter(NO_REFRESH);
        reporter.accept(ONLINE);

        await().untilAsserted(() -> assertThat(api.calls("GET")).hasSize(2));
        reporter.close();
        assertThat(api.calls("PATCH")).hasSize(1);
    }

    @Test
    void keepsTheTransitionTimeWhileTheStatusDoesNotFlip() {
        api.change(object -> ((ArrayNode) object.at("/status/conditions"))
                .addObject()
                .put("type", "TunnelReady")
                .put("status", "False")
                .put("lastTransitionTime", "2026-11-30T00:00:00Z"));

        reporter.accept(new TunnelEvent.Connecting());

        awaitReason("TunnelConnecting");
        assertThat(api.condition().path("lastTransitionTime").asText()).isEqualTo("2026-11-30T00:00:00Z");
    }

    @Test
    void keepsTheCauseOfTheFailureWhileItTriesAgain() throws Exception {
        reporter.accept(new TunnelEvent.Connecting());
        reporter.accept(new TunnelEvent.Disconnected("no such host", FailureKind.PASSING));
        awaitReason("TunnelDisconnected");
        int written = api.calls("PATCH").size();

        reporter.accept(new TunnelEvent.Connecting());
        reporter.close();

        assertThat(api.condition().path("message").asText()).isEqualTo("no such host");
        assertThat(api.calls("PATCH")).hasSize(written);
    }

    @Tag("parity-129")
    @Test
    void writesTheNewestStateWhenTheApiServerIsBack() {
        api.answer = 503;
        reporter.accept(new TunnelEvent.Connecting());
        await().untilAsserted(() -> assertThat(api.calls("GET")).hasSizeGreaterThan(2));
        reporter.accept(ONLINE);

        api.answer = 0;

        awaitReason("TunnelOnline");
        assertThat(api.calls("PATCH")).hasSize(1);
    }

    @Tag("parity-129")
    @Test
    void repairsWhatSomebodyElseChanged() throws Exception {
        reporter.close();
        reporter = reporter(new ReporterTimings(
                Duration.ofMillis(50),
                Duration.ofMillis(200),
                Duration.ofMillis(100),
                Duration.ofMillis(100),
                Duration.ofSeconds(5)));
        reporter.accept(ONLINE);
        awaitReason("TunnelOnline");

        api.change(object -> ((ObjectNode) object.path("status")).remove("tunnelID"));

        await().untilAsserted(
                        () -> assertThat(api.status().path("tunnelID").asText()).isEqualTo("tunnel-1"));
    }

    @Tag("parity-132")
    @Test
    void claimsOnlyTheGenerationThatItsConfigurationWasMadeFor() {
        reporter.accept(ONLINE);
        awaitReason("TunnelOnline");
        api.change(object ->
                object.withObject("/status").put("observedGeneration", 4).put("agentConfigHash", "hash-4"));

        reporter.accept(new TunnelEvent.Disconnected("no such host", FailureKind.PASSING));

        awaitReason("TunnelDisconnected");
        assertThat(api.condition().path("observedGeneration").asLong()).isEqualTo(3);
        assertThat(api.status().path("agent"))
                .hasToString("{\"pod\":\"web-pod\",\"configHash\":\"hash-3\",\"generation\":3}");
    }

    @Tag("parity-128")
    @Tag("parity-129")
    @Test
    void readsAgainAtOnceWhenTheObjectChangedMeanwhile() throws Exception {
        reporter.close();
        AtomicBoolean first = new AtomicBoolean(true);
        reporter = reporter(Duration.ofSeconds(5), clock(() -> {
            if (first.getAndSet(false)) {
                api.change(object -> object.withObject("/status").put("hostname", "web.example.com"));
            }
        }));

        reporter.accept(ONLINE);

        awaitReason("TunnelOnline");
        assertThat(api.calls("PATCH")).hasSize(2);
        assertThat(api.status().path("hostname").asText()).isEqualTo("web.example.com");
    }

    @Tag("parity-146")
    @Test
    void saysThatTheServiceCannotBeReached() {
        reporter.accept(ONLINE);
        awaitReason("TunnelOnline");

        reporter.target("cannot connect to web.shop.svc:80: connection refused");

        await().untilAsserted(
                        () -> assertThat(api.status().at("/agent/targetError").asText())
                                .isEqualTo("cannot connect to web.shop.svc:80: connection refused"));
        assertThat(api.condition().path("status").asText()).isEqualTo("True");
        reporter.target("");
        await().untilAsserted(() ->
                assertThat(api.status().at("/agent").has("targetError")).isFalse());
    }

    @Test
    void givesUpAnAnswerThatStopsInTheMiddle() throws Exception {
        reporter.close();
        reporter = reporter(Duration.ofMillis(300), NOON_CLOCK);
        api.stalls = true;
        reporter.accept(ONLINE);
        await().untilAsserted(() -> assertThat(api.calls("GET")).hasSizeGreaterThan(1));

        api.stalls = false;

        awaitReason("TunnelOnline");
    }

    @Test
    void goesOnWithoutShowingATokenThatNoHeaderCanCarry() throws Exception {
        try (LogRecords records = LogRecords.of("io.rstream.agent")) {
            Files.writeString(account.resolve("token"), "marker\u0001token");
            reporter.accept(ONLINE);
            await().untilAsserted(() -> assertThat(records.text()).contains("holds a character that no token has"));

            Files.writeString(account.resolve("token"), "good-token");

            awaitReason("TunnelOnline");
            assertThat(records.text()).doesNotContain("marker");
        }
    }

    @Test
    void goesOnAfterAFaultWithoutShowingItsMessage() throws Exception {
        reporter.close();
        AtomicBoolean broken = new AtomicBoolean(true);
        reporter = reporter(Duration.ofSeconds(5), clock(() -> {
            if (broken.get()) {
                throw new IllegalStateException("marker-value");
            }
        }));
        try (LogRecords records = LogRecords.of("io.rstream.agent")) {
            reporter.accept(ONLINE);
            await().untilAsserted(
                            () -> assertThat(records.text()).contains("internal error: IllegalStateException at "));

            broken.set(false);

            awaitReason("TunnelOnline");
            assertThat(records.text()).doesNotContain("marker");
        }
    }

    @Test
    void keepsTryingWhenTheTunnelObjectIsGone() {
        api.answer = 404;
        reporter.accept(ONLINE);
        await().untilAsserted(() -> assertThat(api.calls("GET")).hasSizeGreaterThan(1));

        api.answer = 0;

        awaitReason("TunnelOnline");
    }

    @Tag("parity-130")
    @Test
    void saysGoodbyeBeforeItCloses() throws Exception {
        reporter.accept(ONLINE);
        awaitReason("TunnelOnline");
        reporter.accept(new TunnelEvent.ShuttingDown());

        reporter.close();

        assertThat(api.condition().path("reason").asText()).isEqualTo("TunnelStopped");
        assertThat(api.condition().path("message").asText()).isEqualTo("Tunnel agent is shutting down.");
    }

    @Test
    void doesNotWaitForAnApiServerThatIsAwayWhenItCloses() throws Exception {
        reporter.close();
        reporter = reporter(new ReporterTimings(
                Duration.ofMillis(50),
                Duration.ofMillis(200),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ofMillis(300)));
        reporter.accept(ONLINE);
        awaitReason("TunnelOnline");
        api.answer = 500;
        reporter.accept(new TunnelEvent.ShuttingDown());

        reporter.close();

        assertThat(api.condition().path("reason").asText()).isEqualTo("TunnelOnline");
    }

    @Test
    void readsTheTokenAnewForEachCall() throws Exception {
        reporter.accept(new TunnelEvent.Connecting());
        awaitReason("TunnelConnecting");

        Files.writeString(account.resolve("token"), "rotated-token\n");
        reporter.accept(ONLINE);

        awaitReason("TunnelOnline");
        assertThat(api.calls.getLast().authorization()).isEqualTo("Bearer rotated-token");
    }

    @Test
    void wantsTheFilesOfTheServiceAccount() {
        assertThatThrownBy(() -> StatusClient.of(api.uri(), directory.resolve("absent"), "shop", "web"))
                .hasMessage(directory.resolve("absent/token") + " cannot be read; mount the service account token");
    }
}
