package io.rstream.e2e.scale;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a process serves on /metrics, in the Prometheus text format.
 *
 * @param text the whole text
 */
record MetricsText(String text) {

    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /**
     * One line.
     *
     * @param labels label values by name
     * @param value the number
     */
    record Sample(Map<String, String> labels, double value) {

        /** A label's value, empty when it is absent. */
        String label(String name) {
            return labels.getOrDefault(name, "");
        }
    }

    /** The lines of one metric. */
    Stream<Sample> samples(String name) {
        return text.lines()
                .filter(line -> line.startsWith(name)
                        && (line.charAt(name.length()) == '{' || line.charAt(name.length()) == ' '))
                .map(MetricsText::sample);
    }

    /** The sum of those lines of a metric that match. */
    double sum(String name, Predicate<Sample> which) {
        return samples(name).filter(which).mapToDouble(Sample::value).sum();
    }

    private static Sample sample(String line) {
        Map<String, String> labels = new HashMap<>();
        var end = line.lastIndexOf('}');
        if (end >= 0) {
            var matcher = LABEL.matcher(line.substring(line.indexOf('{') + 1, end));
            while (matcher.find()) {
                labels.put(matcher.group(1), matcher.group(2));
            }
        }
        return new Sample(labels, Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)));
    }
}
