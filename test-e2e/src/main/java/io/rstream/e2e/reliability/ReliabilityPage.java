package io.rstream.e2e.reliability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;

/** The generated part of docs/reliability.md. */
final class ReliabilityPage {

    private static final String BEGIN = "<!-- begin: written by make reliability -->";
    private static final String END = "<!-- end: written by make reliability -->";

    private ReliabilityPage() {}

    /**
     * Replaces what stands between the two markers.
     *
     * @param machine what the run ran on
     * @throws IllegalStateException when the page lacks a marker
     */
    static void write(Path page, LocalDate date, String machine, List<FaultResult> results) throws IOException {
        var text = Files.readString(page);
        var begin = text.indexOf(BEGIN);
        var end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalStateException("%s lacks the lines \"%s\" and \"%s\"".formatted(page, BEGIN, END));
        }
        Files.writeString(
                page,
                text.substring(0, begin + BEGIN.length()) + "\n" + table(date, machine, results) + text.substring(end));
    }

    private static String table(LocalDate date, String machine, List<FaultResult> results) {
        return """
                Measured on %s: %s.

                | Fault | What the status has to say | Requests lost | Time to a true status | Time to recovery |
                |---|---|---|---|---|
                %s
                """.formatted(
                        date, machine, results.stream().map(FaultResult::row).collect(Collectors.joining("\n")));
    }
}
