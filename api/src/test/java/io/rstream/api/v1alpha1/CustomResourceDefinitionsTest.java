package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.CustomResource;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CustomResourceDefinitionsTest {

    private static final String READY_PATH = ".status.conditions[?(@.type==\"Ready\")].status";

    @Test
    void keepsTheCheckedInDefinitionsUpToDate() throws IOException {
        var folder = LocalCluster.repositoryRoot().resolve("config/crd/bases");
        var files = CustomResourceDefinitions.files();
        if (Boolean.getBoolean("generate")) {
            write(folder, files);
        }

        for (var file : files.entrySet()) {
            assertThat(folder.resolve(file.getKey()))
                    .as("config/crd/bases is stale; its first lines say how to regenerate it")
                    .hasContent(file.getValue());
        }
        try (var present = Files.list(folder)) {
            assertThat(present)
                    .as("config/crd/bases holds the definitions and nothing else")
                    .hasSameSizeAs(files.keySet());
        }
    }

    @Test
    @Tag("parity-1")
    void declaresConnectionsWithTheirNames() {
        var definition = CustomResourceDefinitions.of(RstreamConnection.class);

        assertNames(definition, "RstreamConnection", "rstreamconnections", "rstreamconnection", "rconn");
    }

    @Test
    @Tag("parity-2")
    void declaresTunnelsWithTheirNames() {
        var definition = CustomResourceDefinitions.of(RstreamTunnel.class);

        assertNames(definition, "RstreamTunnel", "rstreamtunnels", "rstreamtunnel", "tunnel", "rtun", "rtunnel");
    }

    @Test
    @Tag("parity-3")
    void printsTheColumnsOfConnectionsInTheirOrder() {
        var columns = columns(RstreamConnection.class);

        assertThat(columns)
                .containsExactly(
                        "Project string .status.projectEndpoint",
                        "Engine string .status.engine",
                        "Ready string " + READY_PATH,
                        "Age date .metadata.creationTimestamp");
    }

    @Test
    @Tag("parity-4")
    void printsTheColumnsOfTunnelsInTheirOrder() {
        var columns = columns(RstreamTunnel.class);

        assertThat(columns)
                .containsExactly(
                        "Ready string " + READY_PATH,
                        "Protocol string .spec.protocol",
                        "Target string .status.target",
                        "Address string .status.forwardingAddress",
                        "Age date .metadata.creationTimestamp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RstreamConnection", "RstreamTunnel"})
    @Tag("parity-5")
    void hasExactlyTheDocumentedFields(String kind) throws IOException {
        var type = kind.equals("RstreamTunnel") ? RstreamTunnel.class : RstreamConnection.class;
        var documented = Files.readAllLines(Path.of("src/test/resources/fields-of-%s.txt".formatted(kind)));

        var fields = SchemaFields.of(CustomResourceDefinitions.of(type));

        assertThat(fields).containsExactlyElementsOf(documented);
    }

    @ParameterizedTest
    @ValueSource(classes = {RstreamConnection.class, RstreamTunnel.class})
    void describesEveryFieldOfOurs(Class<? extends CustomResource<?, ?>> kind) {
        var undescribed = SchemaFields.withoutDescription(CustomResourceDefinitions.of(kind));

        // The parts that core/v1 owns are documented by Kubernetes.
        assertThat(undescribed).allMatch(path -> path.matches("spec\\.agent\\.(affinity|resources|tolerations\\[]).*"));
    }

    private static void write(Path folder, Map<String, String> files) throws IOException {
        Files.createDirectories(folder);
        for (var file : files.entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
        }
    }

    private static void assertNames(
            CustomResourceDefinition definition, String kind, String plural, String singular, String... shortNames) {
        var spec = definition.getSpec();
        assertThat(definition.getMetadata().getName()).isEqualTo(plural + ".tunnels.rstream.io");
        assertThat(definition.getMetadata().getAnnotations()).isNullOrEmpty();
        assertThat(spec.getGroup()).isEqualTo("tunnels.rstream.io");
        assertThat(spec.getScope()).isEqualTo("Namespaced");
        assertThat(spec.getNames().getKind()).isEqualTo(kind);
        assertThat(spec.getNames().getListKind()).isIn(null, kind + "List");
        assertThat(spec.getNames().getPlural()).isEqualTo(plural);
        assertThat(spec.getNames().getSingular()).isEqualTo(singular);
        assertThat(spec.getNames().getShortNames()).containsExactlyInAnyOrder(shortNames);
        assertThat(spec.getNames().getCategories()).containsExactly("rstream");
        assertThat(spec.getVersions()).singleElement().satisfies(version -> {
            assertThat(version.getName()).isEqualTo("v1alpha1");
            assertThat(version.getServed()).isTrue();
            assertThat(version.getStorage()).isTrue();
            assertThat(version.getSubresources().getStatus()).isNotNull();
            assertThat(version.getSubresources().getScale()).isNull();
        });
    }

    private static List<String> columns(Class<? extends CustomResource<?, ?>> kind) {
        return CustomResourceDefinitions.of(kind)
                .getSpec()
                .getVersions()
                .getFirst()
                .getAdditionalPrinterColumns()
                .stream()
                .map(CustomResourceDefinitionsTest::line)
                .toList();
    }

    private static String line(CustomResourceColumnDefinition column) {
        return "%s %s %s".formatted(column.getName(), column.getType(), column.getJsonPath());
    }
}
