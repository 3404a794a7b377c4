package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import io.rstream.testcluster.LocalCluster;
import java.util.function.Predicate;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same table as {@link RulesTest}, judged by the API server. */
class RuleCasesIT {

    private static LocalCluster cluster;
    private static String namespace;

    @BeforeAll
    static void installDefinitions() {
        cluster = LocalCluster.shared();
        cluster.installCrds();
        namespace = cluster.createNamespace("rules");
    }

    @Test
    @Tag("parity-10")
    void asksForExactlyOneCredential() {
        judge(10);
    }

    @Test
    @Tag("parity-11")
    void asksForExactlyOneSelector() {
        judge(11);
    }

    @Test
    @Tag("parity-12")
    void asksForATokenWithAProject() {
        judge(12);
    }

    @Test
    @Tag("parity-13")
    void refusesARegionWithAnEngine() {
        judge(13);
    }

    @Test
    @Tag("parity-14")
    void refusesHeadersWithAnEngine() {
        judge(14);
    }

    @Test
    @Tag("parity-15")
    void refusesMalformedRegionsAndRepeatedHeaders() {
        judge(15);
    }

    @Test
    @Tag("parity-16")
    void refusesATcpPortOutOfPlaceOrRange() {
        judge(16);
    }

    @Test
    @Tag("parity-17")
    void refusesUnpublishedTcpTunnels() {
        judge(17);
    }

    @Test
    @Tag("parity-18")
    void refusesTcpTunnelsOfPackets() {
        judge(18);
    }

    @Test
    @Tag("parity-19")
    void refusesHostNamesForTcpTunnels() {
        judge(19);
    }

    @Test
    @Tag("parity-20")
    void refusesHttpAndTlsSettingsForTcpTunnels() {
        judge(20);
    }

    @Test
    @Tag("parity-21")
    void refusesUnlistedValuesAndOtherReplicaCounts() {
        judge(21);
    }

    @Test
    @Tag("parity-22")
    void asksForTheTargetAndTakesPortsInBothForms() {
        judge(22);
    }

    @Test
    void judgesTheOtherCasesAsTheTableSays() {
        judge(0);
    }

    @Test
    void hasATestForEveryNumberInTheTable() {
        var numbers = RuleCase.all().stream().map(RuleCase::parity).distinct();

        assertThat(numbers).allMatch(number -> number == 0 || (number >= 10 && number <= 22));
    }

    private static void judge(int parity) {
        var cases =
                RuleCase.all().stream().filter(rule -> rule.parity() == parity).toList();
        assertThat(cases).isNotEmpty();
        cases.forEach(RuleCasesIT::judge);
    }

    private static void judge(RuleCase rule) {
        if (rule.both().isEmpty() && rule.schema().isEmpty()) {
            create(rule);
            return;
        }
        assertThatExceptionOfType(KubernetesClientException.class)
                .as(rule.sentence())
                .isThrownBy(() -> create(rule))
                .satisfies(refusal -> assertRefusal(rule, refusal));
    }

    private static void assertRefusal(RuleCase rule, KubernetesClientException refusal) {
        var softly = new SoftAssertions();
        softly.assertThat(refusal.getCode()).as(rule.sentence()).isEqualTo(422);
        rule.schema().forEach(part -> softly.assertThat(refusal.getMessage()).contains(part));
        var said = refusal.getStatus().getDetails().getCauses().stream()
                .map(StatusCause::getMessage)
                .toList();
        rule.both().forEach(message -> softly.assertThat(said).anyMatch(endsWith(message)));
        if (rule.schema().isEmpty()) {
            softly.assertThat(said).as(rule.sentence()).hasSameSizeAs(rule.both());
        }
        softly.assertAll();
    }

    private static Predicate<String> endsWith(String message) {
        return text -> text.endsWith(": " + message);
    }

    private static void create(RuleCase rule) {
        cluster.client()
                .resource(rule.object())
                .inNamespace(namespace)
                .dryRun()
                .fieldValidation(FieldValidateable.Validation.STRICT)
                .create();
    }
}
