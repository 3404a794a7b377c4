package io.rstream.e2e.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Keeps {@code docs/compatibility.md}, the list of promises and the tags of all tests in step. */
class CompatibilityPageTest {

    private static final Path ROOT = LocalCluster.repositoryRoot();
    private static final Compatibility COMPATIBILITY =
            new Compatibility(Promise.read(Path.of("src/test/resources/compatibility.yaml")), TaggedTests.below(ROOT));

    @Test
    void hasATestOrAReasonForEveryNumber() {
        assertThat(COMPATIBILITY.problems()).isEmpty();
    }

    @Test
    void keepsThePageUpToDate() throws IOException {
        var page = ROOT.resolve("docs/compatibility.md");
        if (Boolean.getBoolean("generate")) {
            Files.writeString(page, COMPATIBILITY.page());
        }

        assertThat(page)
                .as("docs/compatibility.md is stale; make generate writes it")
                .hasContent(COMPATIBILITY.page());
    }
}
