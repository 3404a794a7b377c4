package io.rstream.e2e.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompatibilityTest {

    private static final Path FILE = Path.of("api/src/test/java/WebTest.java");

    @TempDir
    private Path root;

    @Test
    void findsTagsOfMethodsAndClassesHoweverTheyAreWritten() throws IOException {
        source("api", "WebTest", """
                @Tag("parity-1")
                class WebTest {
                    @org.junit.jupiter.api.Test @Tag("parity-2") @Tag(value = "parity-3") void one() {}
                    @ParameterizedTest @Tags({@Tag("parity-4"), @Tag("slow")}) void two(int number) {}
                    @Tag("parity-5") void lost() {}
                    void helper() { var text = "@Tag(\\"parity-6\\")"; } // @Tag("parity-7")
                    @Nested class Inner { @Test @Tag(NAME) void three() {} }
                }
                """);
        source("operator", "EmptyIT", "class EmptyIT {}");

        var tests = TaggedTests.below(root);

        assertThat(tests)
                .extracting(test -> test.name() + " " + test.tag() + " " + test.isTest())
                .containsExactly(
                        "WebTest#one parity-1 true",
                        "WebTest#one parity-2 true",
                        "WebTest#one parity-3 true",
                        "WebTest#two parity-1 true",
                        "WebTest#two parity-4 true",
                        "WebTest#two slow true",
                        "WebTest#lost parity-5 false",
                        "Inner#three parity-1 true",
                        "Inner#three NAME true");
        assertThat(tests).allMatch(test -> test.file().equals(FILE));
    }

    @Test
    void isContentWithATestAReasonOrAnAnnouncement() {
        var compatibility = compatibility(
                List.of(promise(7, null, null), promise(8, "It is better so.", null), promise(9, null, "issue 6")),
                test("parity-7", true));

        assertThat(compatibility.problems()).isEmpty();
        assertThat(compatibility.page())
                .contains("| 7 | S7 | [WebTest#one](../api/src/test/java/WebTest.java) |")
                .contains("| 8 | S8<br>**Difference:** It is better so. |")
                .contains("| 9 | S9 | comes with issue 6 |");
    }

    @Test
    void missesATest() {
        assertThat(compatibility(List.of(promise(7, null, null))).problems())
                .containsExactly(
                        "number 7 has no test: tag one with @Tag(\"parity-7\"), or give the reason of the difference");
    }

    @Test
    void missesAReason() {
        assertThat(compatibility(List.of(promise(7, " ", null)), test("parity-7", true))
                        .problems())
                .containsExactly("number 7 is a difference without a reason");
    }

    @Test
    void refusesATagWithoutItsNumber() {
        assertThat(compatibility(List.of(), test("parity-151", true), test("parity-x", true))
                        .problems())
                .containsExactly(
                        "WebTest#one has the tag parity-151, and the list has no such number",
                        "WebTest#one has the tag parity-x, and the list has no such number");
    }

    @Test
    void refusesATagOnWhatNoBuildRuns() {
        var elsewhere = new TaggedTest(Path.of("api/src/test/java/Web.java"), "Web", "two", "parity-7", true);

        assertThat(compatibility(List.of(), test("parity-7", false), elsewhere).problems())
                .containsExactly(
                        "WebTest#one has the tag parity-7, and no build runs it: it needs @Test, in a file *Test, *IT or *E2E",
                        "Web#two has the tag parity-7, and no build runs it: it needs @Test, in a file *Test, *IT or *E2E");
    }

    @Test
    void refusesAnAnnouncementOfWhatIsThere() {
        assertThat(compatibility(List.of(promise(7, null, "issue 6")), test("parity-7", true))
                        .problems())
                .containsExactly("number 7 says what it comes with, and is there: remove its \"later\"");
    }

    @Test
    void refusesAListWithAGap() {
        var gap = IntStream.rangeClosed(1, 149)
                .mapToObj(number -> promise(number, null, "issue 6"))
                .toList();

        assertThat(new Compatibility(gap, List.of()).problems())
                .containsExactly("the numbers of the list are not 1 to 150 in their order");
    }

    /** The given promises among others that nothing is wrong with. */
    private static Compatibility compatibility(List<Promise> promises, TaggedTest... tests) {
        var all = new ArrayList<Promise>();
        IntStream.rangeClosed(1, 150)
                .mapToObj(number -> promise(number, "Why.", null))
                .forEach(all::add);
        promises.forEach(promise -> all.set(promise.number() - 1, promise));
        return new Compatibility(all, List.of(tests));
    }

    private static Promise promise(int number, @Nullable String difference, @Nullable String later) {
        return new Promise(number, "Group", "S" + number, difference, later);
    }

    private static TaggedTest test(String tag, boolean isTest) {
        return new TaggedTest(FILE, "WebTest", "one", tag, isTest);
    }

    private void source(String module, String name, String text) throws IOException {
        var folder = Files.createDirectories(root.resolve(module).resolve("src/test/java"));
        Files.writeString(folder.resolve(name + ".java"), text);
    }
}
