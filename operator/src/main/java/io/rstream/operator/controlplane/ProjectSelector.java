package io.rstream.operator.controlplane;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** By what a connection names its project. */
public sealed interface ProjectSelector {

    /**
     * By endpoint.
     *
     * @param value the endpoint, as the connection has it
     */
    record Endpoint(String value) implements ProjectSelector {}

    /**
     * By ID.
     *
     * @param value the ID, as the connection has it
     */
    record Id(String value) implements ProjectSelector {}

    /** The endpoint or ID. */
    String value();

    /** Path of the request, percent-encoded. */
    default String path() {
        return "/api/projects/tunnels/"
                + switch (this) {
                    case Endpoint endpoint -> "resolve/" + escaped(endpoint.value());
                    case Id id -> escaped(id.value());
                };
    }

    /** Such as {@code project endpoint "my-project"}. */
    default String wording() {
        return switch (this) {
            case Endpoint endpoint -> "project endpoint \"%s\"".formatted(endpoint.value());
            case Id id -> "project ID \"%s\"".formatted(id.value());
        };
    }

    private static String escaped(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
