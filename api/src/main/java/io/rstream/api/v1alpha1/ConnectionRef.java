package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import org.jspecify.annotations.Nullable;

/**
 * Refers to a connection in the namespace of the tunnel.
 *
 * @param name name of the connection; absent or empty means {@value WellKnown#DEFAULT_CONNECTION}
 */
@Document
public record ConnectionRef(
        @JsonPropertyDescription("Name of the RstreamConnection. Empty means the connection named default.")
        @Default("\"\"")
        @Nullable
        String name) {}
