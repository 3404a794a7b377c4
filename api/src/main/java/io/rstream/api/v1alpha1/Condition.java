package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * One aspect of an object's state, in the shape and limits of Kubernetes' own conditions (meta/v1 Condition).
 *
 * @param type what is spoken about, see {@link ConditionType}
 * @param status whether it holds
 * @param reason code for programs, see {@link Reason}
 * @param message sentence for people, at most {@value #MESSAGE_LIMIT} characters
 * @param lastTransitionTime when the status last changed, in whole seconds
 * @param observedGeneration generation that was judged
 */
@Document
public record Condition(
        @JsonPropertyDescription("What the condition is about.")
        @Required
        @Size(max = 316)
        @Pattern("^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
                + "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$")
        String type,

        @JsonPropertyDescription("Whether the condition holds: True, False or Unknown.") @Required
        Status status,

        @JsonPropertyDescription("Code for the cause of the last change.")
        @Required
        @Size(min = 1, max = 1024)
        @Pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
        String reason,

        @JsonPropertyDescription("Details in words.") @Required @Size(max = MESSAGE_LIMIT)
        String message,

        @JsonPropertyDescription("When the status last changed.") @Required
        Instant lastTransitionTime,

        @JsonPropertyDescription("Generation of the object that was judged.") @Min(0) @Nullable
        Long observedGeneration) {

    /** Largest length of a message, in characters. */
    public static final int MESSAGE_LIMIT = 32768;

    public Condition {
        // An object from another author may be read before the API server has checked it.
        lastTransitionTime =
                (lastTransitionTime == null ? Instant.EPOCH : lastTransitionTime).truncatedTo(ChronoUnit.SECONDS);
    }

    /** Whether this is the condition of that type. */
    public boolean is(ConditionType other) {
        return type.equals(other.code());
    }

    /** Whether a condition holds. */
    public enum Status {
        TRUE("True"),
        FALSE("False"),
        UNKNOWN("Unknown");

        private final String value;

        Status(String value) {
            this.value = value;
        }

        /** The text in documents. */
        @JsonValue
        public String value() {
            return value;
        }

        /** The status of a plain yes or no. */
        public static Status of(boolean holds) {
            return holds ? TRUE : FALSE;
        }
    }
}
