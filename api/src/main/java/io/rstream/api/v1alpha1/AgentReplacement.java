package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/**
 * How a changed agent takes the place of the running one.
 *
 * @param mode {@value #ROLLING_UPDATE}: the new one first, then the old one goes, without loss; {@value #RECREATE}: the old
 *     one goes first, because the engine refuses two at once
 * @param engine engine address that the mode was found out for; another engine starts with {@value #ROLLING_UPDATE} again
 */
@Document
public record AgentReplacement(
        @JsonPropertyDescription("RollingUpdate: the new agent starts before the old one stops. Recreate: the old agent"
                + " stops first, because the engine refuses two at once.")
        @Nullable
        String mode,

        @JsonPropertyDescription("Address of the engine that the mode was found out for.") @Nullable
        String engine) {

    /** Mode for engines that accept a second agent of the same tunnel. */
    public static final String ROLLING_UPDATE = "RollingUpdate";

    /** Mode for engines that refuse one. */
    public static final String RECREATE = "Recreate";
}
