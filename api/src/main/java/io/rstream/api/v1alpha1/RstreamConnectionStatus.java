package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the operator found out about a connection. The resolved fields are present only while the connection is ready.
 *
 * @param observedGeneration generation that this status describes
 * @param conditions only {@link ConditionType#READY}
 * @param apiURL control plane of the last look-up; absent for an explicit engine
 * @param projectID resolved project ID; absent for an explicit engine
 * @param projectEndpoint resolved project endpoint; absent for an explicit engine
 * @param region {@code auto} or the lower-case region; absent for an explicit engine
 * @param engine engine address that agents use
 */
@Document
public record RstreamConnectionStatus(
        @JsonPropertyDescription("Generation of the connection that this status describes.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("Ready says whether tunnels can use the connection, and why not.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<Condition> conditions,

        @JsonPropertyDescription("Control plane that resolved the project. Empty with an explicit engine.") @Nullable
        String apiURL,

        @JsonPropertyDescription("ID of the resolved project. Empty with an explicit engine.") @Nullable
        String projectID,

        @JsonPropertyDescription("Endpoint of the resolved project. Empty with an explicit engine.") @Nullable
        String projectEndpoint,

        @JsonPropertyDescription("Region in use, or auto. Empty with an explicit engine.") @Nullable
        String region,

        @JsonPropertyDescription("Address of the engine that agents connect to.") @Nullable
        String engine) {

    private static final RstreamConnectionStatus EMPTY =
            new RstreamConnectionStatus(null, List.of(), null, null, null, null, null);

    public RstreamConnectionStatus {
        conditions = Absent.toEmpty(conditions);
    }

    /** The status of a connection that nobody has written yet. */
    public static RstreamConnectionStatus empty() {
        return EMPTY;
    }
}
