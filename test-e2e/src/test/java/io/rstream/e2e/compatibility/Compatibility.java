package io.rstream.e2e.compatibility;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Pure: promises and the tests that show them, as a page, and what is wrong between the two. */
record Compatibility(List<Promise> promises, List<TaggedTest> tests) {

    private static final String PREFIX = "parity-";
    private static final Pattern TAG = Pattern.compile(PREFIX + "([1-9][0-9]*)");
    private static final Pattern CLASS_THAT_RUNS = Pattern.compile(".*(?:Test|IT|E2E)\\.java");
    private static final int NUMBERS = 150;

    Compatibility {
        tests = tests.stream().filter(test -> test.tag().startsWith("parity")).toList();
    }

    /** What must be mended, a sentence each; empty when every promise is shown, explained or announced. */
    List<String> problems() {
        var found = new ArrayList<String>();
        var numbers = promises.stream().map(Promise::number).toList();
        if (!numbers.equals(IntStream.rangeClosed(1, NUMBERS).boxed().toList())) {
            found.add("the numbers of the list are not 1 to %d in their order".formatted(NUMBERS));
        }
        tests.forEach(test -> addProblem(test, numbers, found));
        promises.forEach(promise -> addProblem(promise, found));
        return List.copyOf(found);
    }

    private static void addProblem(TaggedTest test, List<Integer> numbers, List<String> found) {
        var tag = TAG.matcher(test.tag());
        if (!tag.matches() || !numbers.contains(Integer.valueOf(tag.group(1)))) {
            found.add("%s has the tag %s, and the list has no such number".formatted(test.name(), test.tag()));
        }
        if (!test.isTest() || !CLASS_THAT_RUNS.matcher(test.file().toString()).matches()) {
            found.add("%s has the tag %s, and no build runs it: it needs @Test, in a file *Test, *IT or *E2E"
                    .formatted(test.name(), test.tag()));
        }
    }

    private void addProblem(Promise promise, List<String> found) {
        var isExplained = promise.difference() != null && !promise.difference().isBlank();
        var isAnnounced = promise.later() != null && !promise.later().isBlank();
        var isShown = testsByNumber().containsKey(promise.number());
        if (promise.difference() != null && !isExplained) {
            found.add("number %d is a difference without a reason".formatted(promise.number()));
        } else if (!isExplained && !isAnnounced && !isShown) {
            found.add("number %d has no test: tag one with @Tag(\"%s%d\"), or give the reason of the difference"
                    .formatted(promise.number(), PREFIX, promise.number()));
        } else if (isAnnounced && (isExplained || isShown)) {
            found.add("number %d says what it comes with, and is there: remove its \"later\""
                    .formatted(promise.number()));
        }
    }

    private Map<Integer, List<TaggedTest>> testsByNumber() {
        return tests.stream()
                .filter(test -> TAG.matcher(test.tag()).matches())
                .collect(Collectors.groupingBy(
                        test -> Integer.valueOf(test.tag().substring(PREFIX.length())),
                        TreeMap::new,
                        Collectors.toList()));
    }

    /** The page as Markdown, to stand in {@code docs}. */
    String page() {
        var shown = testsByNumber();
        var text = new StringBuilder("""
                # Compatibility

                <!-- Generated from test-e2e/src/test/resources/compatibility.yaml and the tags of the tests; make generate writes it. -->

                What users of the Go operator 0.5 may rely on (1 to 125), and what is better here on purpose (126 to 150). Each line names
                the tests that show it, or says why this operator deliberately does otherwise.

                """);
        text.append(summary(shown));
        var groups = promises.stream()
                .collect(Collectors.groupingBy(Promise::group, java.util.LinkedHashMap::new, Collectors.toList()));
        groups.forEach((group, members) -> {
            text.append("\n## ").append(group).append("\n\n| | What holds | Shown by |\n|---|---|---|\n");
            members.forEach(promise -> text.append(line(promise, shown.getOrDefault(promise.number(), List.of()))));
        });
        return text.toString();
    }

    private String summary(Map<Integer, List<TaggedTest>> shown) {
        var differences = promises.stream()
                .filter(promise -> promise.difference() != null)
                .toList();
        var announced =
                promises.stream().filter(promise -> promise.later() != null).toList();
        var same = promises.stream()
                .filter(promise -> promise.difference() == null && shown.containsKey(promise.number()))
                .count();
        return "%d hold and are shown by tests; %d are deliberate differences (%s); %d come later (%s).\n"
                .formatted(same, differences.size(), numbers(differences), announced.size(), numbers(announced));
    }

    private static String numbers(List<Promise> promises) {
        return promises.stream()
                .map(promise -> Integer.toString(promise.number()))
                .collect(Collectors.joining(", "));
    }

    private static String line(Promise promise, List<TaggedTest> tests) {
        var statement = Stream.of(
                        escaped(promise.statement()),
                        promise.difference() == null
                                ? ""
                                : "**Difference:** "
                                        + escaped(promise.difference().strip()))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("<br>"));
        var evidence = promise.later() != null
                ? "comes with " + promise.later()
                : tests.stream().map(Compatibility::link).sorted().collect(Collectors.joining("<br>"));
        return "| %d | %s | %s |\n".formatted(promise.number(), statement, evidence);
    }

    private static String link(TaggedTest test) {
        return "[%s](../%s)".formatted(test.name(), test.file());
    }

    private static String escaped(String text) {
        return text.replace("*", "\\*").replace("|", "\\|").replace("<", "&lt;");
    }
}
