package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/reference/reasons.md} is made of {@link Reason}; {@code -Dgenerate=true} writes it. */
class ReasonsDocumentTest {

    private static final String HEAD = """
            <!-- Generated from the enum Reason of the module api; do not edit. To regenerate: make generate -->
            # Reasons

            Each condition of an `RstreamTunnel` or an `RstreamConnection` carries one of these codes as its `reason`. The `message`
            beside it names the objects and values at hand; when it is about a failure it ends with what to do. A connection has the
            condition `Ready` only. Events carry the same codes.

            | Reason | On | Meaning | What to do |
            |---|---|---|---|
            """;

    @Test
    void keepsTheCheckedInPageUpToDate() throws IOException {
        var file = LocalCluster.repositoryRoot().resolve("docs/reference/reasons.md");
        var page = Stream.of(Reason.values()).map(ReasonsDocumentTest::row).collect(Collectors.joining("", HEAD, ""));
        if (Boolean.getBoolean("generate")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, page);
        }

        assertThat(file).as("stale; make generate writes it").hasContent(page);
    }

    private static String row(Reason reason) {
        var conditions =
                reason.conditions().stream().map(ConditionType::code).collect(Collectors.joining("`, `", "`", "`"));
        return "| `%s` | %s | %s | %s |\n"
                .formatted(
                        reason.code(),
                        reason.conditions().isEmpty() ? "none" : conditions,
                        reason.description(),
                        reason.nextStep());
    }
}
