package io.rstream.e2e.scale;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How many calls that change something the API server has answered, failed ones included, by what they were for. Its own count
 * is read rather than that of a proxy, which would cost what it measures.
 *
 * @param counts calls by verb, resource and subresource, such as {@code APPLY deployments}
 */
record MutatingCalls(Map<String, Long> counts) {

    private static final String METRIC = "apiserver_request_total";
    private static final Set<String> VERBS = Set.of("POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION");
    /** Questions that change nothing, and Leases, which the API server itself renews. */
    private static final Set<String> NOT_COUNTED = Set.of(
            "leases",
            "tokenreviews",
            "subjectaccessreviews",
            "selfsubjectaccessreviews",
            "selfsubjectrulesreviews",
            "serviceaccounts/token");

    MutatingCalls {
        counts = Map.copyOf(counts);
    }

    /** What the API server has counted until now. */
    static MutatingCalls now(RawApi api) throws IOException, InterruptedException {
        return of(new MetricsText(api.get("/metrics")));
    }

    static MutatingCalls of(MetricsText metrics) {
        return new MutatingCalls(metrics.samples(METRIC)
                .filter(sample -> VERBS.contains(sample.label("verb")) && !NOT_COUNTED.contains(resource(sample)))
                .collect(Collectors.groupingBy(
                        sample -> sample.label("verb") + " " + resource(sample),
                        Collectors.summingLong(sample -> (long) sample.value()))));
    }

    /** The calls that came after an earlier count. */
    MutatingCalls since(MutatingCalls earlier) {
        Map<String, Long> difference = new TreeMap<>();
        counts.forEach((what, count) -> {
            var more = count - earlier.counts.getOrDefault(what, 0L);
            if (more > 0) {
                difference.put(what, more);
            }
        });
        return new MutatingCalls(difference);
    }

    /** The same calls without those for one thing. */
    MutatingCalls without(String what) {
        Map<String, Long> others = new TreeMap<>(counts);
        others.remove(what);
        return new MutatingCalls(others);
    }

    long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** In alphabetical order. */
    Map<String, Long> sorted() {
        return new TreeMap<>(counts);
    }

    private static String resource(MetricsText.Sample sample) {
        var subresource = sample.label("subresource");
        return subresource.isEmpty() ? sample.label("resource") : sample.label("resource") + "/" + subresource;
    }
}
