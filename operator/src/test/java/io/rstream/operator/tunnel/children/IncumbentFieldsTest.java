package io.rstream.operator.tunnel.children;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IncumbentFieldsTest {

    private static final String IMAGE = """
            {"f:spec": {"f:template": {"f:spec": {"f:containers": {"k:{\\"name\\":\\"agent\\"}": {"f:image": {}, "f:env": {}}}}}}}""";

    @Test
    @Tag("parity-125")
    void makesTheFieldsOfTheIncumbentOursAndLeavesThoseOfOthers() {
        var child = child("""
                - {manager: manager, operation: Update, time: "2026-01-02T03:04:05Z", fieldsV1: %s}
                - {manager: rstream-operator, operation: Apply, fieldsV1: {"f:spec": {"f:replicas": {}}}}
                - {manager: manager, operation: Update, subresource: status, fieldsV1: %s}
                - {manager: kubectl-edit, operation: Update, fieldsV1: {"f:metadata": {"f:labels": {"f:team": {}}}}}
                """.formatted(IMAGE, IMAGE));

        var owners = IncumbentFields.owners(child);

        assertThat(IncumbentFields.remainIn(child)).isTrue();
        assertThat(owners)
                .extracting(entry -> entry.getManager() + " " + entry.getOperation() + " " + entry.getSubresource())
                .containsExactly(
                        "manager Update status",
                        "kubectl-edit Update null",
                        WellKnown.FIELD_MANAGER_OPERATOR + " Apply null");
        assertThat(owners.getLast().getFieldsV1().getAdditionalProperties())
                .extractingByKey("f:spec")
                .isEqualTo(Map.of(
                        "f:replicas",
                        Map.of(),
                        "f:template",
                        Map.of(
                                "f:spec",
                                Map.of(
                                        "f:containers",
                                        Map.of(
                                                "k:{\"name\":\"agent\"}",
                                                Map.of("f:image", Map.of(), "f:env", Map.of()))))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{manager: manager, operation: Update, fieldsV1: {'f:metadata': {'f:annotations': {'f:a': {}}}}}",
                "{manager: manager, operation: Apply, fieldsV1: {'f:data': {'f:config.yaml': {}}}}",
                "{manager: manager, operation: Update, subresource: scale, fieldsV1: {'f:data': {'f:config.yaml': {}}}}",
                "{manager: kubectl-edit, operation: Update, fieldsV1: {'f:data': {'f:config.yaml': {}}}}",
            })
    void leavesFieldsThatAnotherManagerOwns(String entry) {
        assertThat(IncumbentFields.remainIn(child("- " + entry))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'f:data': {'f:config.yaml': {}}}",
                "{'f:metadata': {'f:labels': {'f:app.kubernetes.io/managed-by': {}}}}",
            })
    void knowsTheIncumbentByWhatOnlyItWrites(String fields) {
        var child = child("- {manager: manager, operation: Update, fieldsV1: %s}".formatted(fields));

        assertThat(IncumbentFields.remainIn(child)).isTrue();
    }

    private static Deployment child(String entries) {
        return new KubernetesSerialization()
                .unmarshal("metadata:\n  managedFields:\n" + entries.indent(4), Deployment.class);
    }
}
