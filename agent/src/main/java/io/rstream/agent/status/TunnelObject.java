package io.rstream.agent.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What the agent reads of its tunnel object, and what it writes to it.
 *
 * @param document the object as the API server sent it
 */
record TunnelObject(JsonNode document) {
    static final String API_VERSION = "tunnels.rstream.io/v1alpha1";
    static final String KIND = "RstreamTunnel";

    private static final String CONDITION = "TunnelReady";

    long generation() {
        return document.path("metadata").path("generation").asLong();
    }

    /** Whether the object says this already, for this generation. */
    boolean says(TunnelStatus status, long generation) {
        JsonNode condition = condition();
        return condition.path("status").asText().equals(status(status))
                && condition.path("reason").asText().equals(status.reason())
                && condition.path("message").asText().equals(status.message())
                && condition.path("observedGeneration").asLong() == generation
                && field("tunnelID").equals(status.tunnelId())
                && field("forwardingAddress").equals(status.forwardingAddress());
    }

    /**
     * The whole of what the agent owns, for server-side apply: a field that is left out is dropped. The transition time
     * stays when the status does not flip.
     *
     * @param generation the one whose settings the agent runs with
     */
    ObjectNode apply(String namespace, String name, TunnelStatus status, long generation, Instant now) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.put("apiVersion", API_VERSION).put("kind", KIND);
        patch.putObject("metadata").put("namespace", namespace).put("name", name);
        ObjectNode written = patch.putObject("status");
        written.putArray("conditions")
                .addObject()
                .put("type", CONDITION)
                .put("status", status(status))
                .put("reason", status.reason())
                .put("message", status.message())
                .put("observedGeneration", generation)
                .put("lastTransitionTime", transitionTime(status, now));
        if (!status.tunnelId().isEmpty()) {
            written.put("tunnelID", status.tunnelId());
        }
        if (!status.forwardingAddress().isEmpty()) {
            written.put("forwardingAddress", status.forwardingAddress());
        }
        return patch;
    }

    private String transitionTime(TunnelStatus status, Instant now) {
        JsonNode condition = condition();
        String since = condition.path("lastTransitionTime").asText();
        boolean flips = !condition.path("status").asText().equals(status(status));
        return flips || since.isEmpty() ? now.truncatedTo(ChronoUnit.SECONDS).toString() : since;
    }

    private JsonNode condition() {
        for (JsonNode condition : document.path("status").path("conditions")) {
            if (condition.path("type").asText().equals(CONDITION)) {
                return condition;
            }
        }
        return JsonNodeFactory.instance.objectNode();
    }

    private String field(String key) {
        return document.path("status").path(key).asText();
    }

    private static String status(TunnelStatus status) {
        return status.ready() ? "True" : "False";
    }
}
