package io.rstream.e2e;

import java.io.PrintStream;
import java.util.Locale;

/** What the quickstart says on screen: one line a step, with the time since the start. Safe for use from any thread. */
final class Progress {

    private final PrintStream screen;
    private final long startNanos = System.nanoTime();

    Progress(PrintStream screen) {
        this.screen = screen;
    }

    void step(String sentence) {
        var seconds = (System.nanoTime() - startNanos) / 1e9;
        screen.printf(Locale.ROOT, "[%5.1f s] %s%n", seconds, sentence);
    }

    void say(String text) {
        screen.println(text);
    }
}
