package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.Service;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.operator.connection.ConnectionResolver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What ours plans for the tunnel of {@code src/test/resources/adoption}, beside what the Go operator had made for it. */
class AdoptionTest {

    private static final Path FOLDER = Path.of("src/test/resources/adoption");
    private static final YAMLMapper YAML = new YAMLMapper();

    @Test
    @Tag("parity-61")
    @Tag("parity-125")
    void plansTheSameObjectsUnderTheSameNames() {
        var theirs = documents("children.yaml");
        var ours = planned();

        assertThat(ours).hasSameSizeAs(theirs);
        IntStream.range(0, ours.size()).forEach(index -> {
            for (var part : List.of("/apiVersion", "/kind", "/metadata", "/rules", "/roleRef", "/subjects")) {
                assertThat(ours.get(index).at(part)).isEqualTo(theirs.get(index).at(part));
            }
        });
    }

    @Test
    @Tag("parity-125")
    void plansTheSameConfiguration() {
        assertThat(config(planned())).isEqualTo(config(documents("children.yaml")));
    }

    /** Selector and pod but for image, hash, strategy, and the way in which credentials reach the agent. */
    @Test
    @Tag("parity-125")
    void plansTheSameDeploymentButForTheKnownDifferences() {
        var ours = planned().getLast();
        var theirs = documents("children.yaml").getLast();

        for (var deployment : List.of(ours, theirs)) {
            without(deployment, "/spec", "strategy");
            without(deployment, "/spec/template/metadata", "annotations");
            without(deployment, "/spec/template/spec", "terminationGracePeriodSeconds", "volumes");
            without(deployment, "/spec/template/spec/containers/0", "image", "volumeMounts");
            ((com.fasterxml.jackson.databind.node.ArrayNode) deployment.at("/spec/template/spec/containers/0/env"))
                    .remove(2);
        }
        for (var index : List.of(0, 1)) {
            without(ours, "/spec/template/spec/containers/0/env/" + index + "/valueFrom/fieldRef", "apiVersion");
        }
        assertThat(ours.path("spec")).isEqualTo(theirs.path("spec"));
    }

    private static void without(JsonNode document, String pointer, String... fields) {
        ((ObjectNode) document.at(pointer)).remove(List.of(fields));
    }

    private static JsonNode config(List<JsonNode> children) {
        return yaml(children.getFirst().at("/data/config.yaml").asText());
    }

    private static List<JsonNode> planned() {
        var references = documents("references.yaml");
        var inputs = Samples.inputs(
                Samples.tunnel(read("tunnel.yaml").replace("name: web\n", "name: web\n  uid: uid-1\n")),
                Samples.YAML.unmarshal(references.get(2).toString(), RstreamConnection.class),
                "apiVersion: v1\nkind: Secret\nmetadata: {name: rstream-token}\ndata: {token: ''}\n",
                Samples.YAML.unmarshal(references.get(1).toString(), Service.class));
        var plan = new TunnelPlanner(ConnectionResolver.withoutControlPlane(), new AgentDefaults("agent:1", List.of()))
                .plan(inputs);
        assertThat(plan).isInstanceOf(TunnelPlan.Ready.class);
        return ((TunnelPlan.Ready) plan)
                .workload().children().stream()
                        .map(child -> yaml(Samples.YAML.asYaml(child)))
                        .toList();
    }

    private static List<JsonNode> documents(String file) {
        return java.util.Arrays.stream(read(file).split("(?m)^---\n"))
                .map(AdoptionTest::yaml)
                .toList();
    }

    private static String read(String file) {
        try {
            return Files.readString(FOLDER.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode yaml(String text) {
        try {
            return YAML.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
