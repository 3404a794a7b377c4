package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS between callers and the edge.
 *
 * @param mode where TLS ends
 * @param minVersion lowest version that callers may use
 * @param alpns application protocols that the edge offers
 * @param mtls whether callers need a client certificate
 */
@Document
public record TlsSettings(
        @JsonPropertyDescription(
                "Where the callers' TLS ends: at the edge (terminated) or at the Service" + " (passthrough).")
        @Nullable
        Mode mode,

        @JsonPropertyDescription("Lowest TLS version that the edge accepts from callers.") @Nullable
        Version minVersion,

        @JsonPropertyDescription("Application protocols (ALPN) that the edge offers, the preferred one first.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> alpns,

        @JsonPropertyDescription("Callers must present a client certificate to the edge.") @Nullable
        Boolean mtls) {

    public TlsSettings {
        alpns = Absent.toEmpty(alpns);
    }

    /** Where the callers' TLS ends. */
    public enum Mode {
        TERMINATED("terminated"),
        PASSTHROUGH("passthrough");

        private final String value;

        Mode(String value) {
            this.value = value;
        }

        /** The text in documents. */
        @JsonValue
        public String value() {
            return value;
        }
    }

    /** A TLS version. */
    public enum Version {
        TLS_1_2("tls1.2"),
        TLS_1_3("tls1.3");

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
}
