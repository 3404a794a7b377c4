package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.generator.annotation.Default;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a tunnel with protocol http.
 *
 * @param version HTTP version towards the Service
 * @param auth who may call
 * @param gate checks before a request is passed on
 */
@Document
public record HttpSettings(
        @JsonPropertyDescription("HTTP version that the Service speaks: http/1.1, h2c (HTTP/2 without TLS) or h3.")
        @Default("http/1.1")
        @Nullable
        Version version,

        @JsonPropertyDescription("Authentication of callers at the edge.") @Nullable
        Auth auth,

        @JsonPropertyDescription("Checks at the edge before a request is passed on.") @Nullable
        Gate gate) {

    /** HTTP version towards the Service. */
    public enum Version {
        HTTP_1_1("http/1.1"),
        H2C("h2c"),
        H3("h3");

        private final String value;

        Version(String value) {
            this.value = value;
        }

        /** The text in documents. */
        @JsonValue
        public String value() {
            return value;
        }
    }

    /**
     * Authentication of callers at the edge.
     *
     * @param token ask for a token
     * @param rstream ask for an rstream account
     */
    @Document
    public record Auth(
            @JsonPropertyDescription("Only callers with a valid token pass.") @Nullable
            Boolean token,

            @JsonPropertyDescription("Only callers that are signed in to an rstream account pass.") @Nullable
            Boolean rstream) {}

    /**
     * Checks at the edge.
     *
     * @param challenge browser challenge
     */
    @Document
    public record Gate(
            @JsonPropertyDescription("Browsers must pass a challenge before their first request.") @Nullable
            Boolean challenge) {}
}
