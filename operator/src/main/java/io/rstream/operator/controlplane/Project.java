package io.rstream.operator.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;

/**
 * A project as a control plane describes it (operator reference, annex A.1). Texts are stripped, and empty where the answer
 * says nothing.
 *
 * @param id its ID
 * @param endpoint its endpoint, the first label of its engines' host names
 * @param domain domain of its default engine
 * @param enginePort port of its default engine, 0 or less when unknown
 * @param url older form of the default engine's address, with or without a port
 * @param regional whether it lives in one region only
 * @param regions its engines by region
 */
public record Project(
        String id, String endpoint, String domain, int enginePort, String url, boolean regional, List<Region> regions) {

    public Project {
        regions = List.copyOf(regions);
    }

    /**
     * The engine of a region.
     *
     * @param name name of the region
     * @param domain domain of the engine
     * @param enginePort port of the engine, 0 or less when unknown
     */
    public record Region(String name, String domain, int enginePort) {}

    /** Reads an answer; fields of unknown names or other types count as absent. */
    static Project of(JsonNode answer) {
        return new Project(
                text(answer, "id"),
                text(answer, "endpoint"),
                text(answer, "domain"),
                answer.path("enginePort").asInt(0),
                text(answer, "url"),
                Stream.of("routing", "placement")
                        .anyMatch(key -> text(answer, key).equalsIgnoreCase("regional")),
                Stream.of(answer.path("regionalEndpoints"))
                        .flatMap(JsonNode::valueStream)
                        .map(region -> new Region(
                                text(region, "region"),
                                text(region, "domain"),
                                region.path("enginePort").asInt(0)))
                        .toList());
    }

    private static String text(JsonNode object, String key) {
        return object.path(key).asText("").strip();
    }
}
