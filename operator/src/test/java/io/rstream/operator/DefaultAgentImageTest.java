package io.rstream.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where the agents' image comes from when nobody names one: the same place and release as the operator's own. */
class DefaultAgentImageTest {

    @Test
    @Tag("parity-149")
    void isTheImageThatTheManifestsInstallAndNoMovingTag() throws IOException {
        var version = version();
        var installed = installed();

        var image = OperatorOptions.defaultAgentImage(Optional.empty(), version);

        assertThat(version).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(image).isEqualTo("docker.io/rstream/rstream-operator:" + version);
        assertThat("docker.io/" + installed.path("newName").asText() + ":"
                        + installed.path("newTag").asText())
                .as("config/manager/kustomization.yaml names the image of this release")
                .isEqualTo(image);
    }

    @Test
    @Tag("parity-149")
    void isTheOneOfTheEnvironmentUnlessThatIsBlank() {
        assertThat(OperatorOptions.defaultAgentImage(Optional.of(" mine:1 "), "0.0.1"))
                .isEqualTo("mine:1");
        assertThat(OperatorOptions.defaultAgentImage(Optional.of(" "), "0.0.1")).endsWith(":0.0.1");
    }

    /** The release that is being made, without the mark of a build before it. */
    private static String version() throws IOException {
        var text = OperatorMain.commandLine().getCommandSpec().version();
        return List.of(text).getFirst().replaceAll("^\\D*", "").replace("-SNAPSHOT", "");
    }

    private static JsonNode installed() throws IOException {
        var file = LocalCluster.repositoryRoot().resolve("config/manager/kustomization.yaml");
        return new YAMLMapper().readTree(Files.readString(file)).at("/images/0");
    }
}
