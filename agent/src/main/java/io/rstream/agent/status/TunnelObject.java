package io.rstream.agent.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What the agent reads of its tunnel object.
 *
 * @param document the object as the API server sent it
 */
record TunnelObject(JsonNode document) {
    static final String API_VERSION = "tunnels.rstream.io/v1alpha1";
    static final String KIND = "RstreamTunnel";
    static final String CONDITION = "TunnelReady";

    private static final int LONGEST_TEXT = 1_024;

    /** A text of this process, cut to what a status should hold. */
    static String bounded(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
    }

    String resourceVersion() {
        return document.path("metadata").path("resourceVersion").asText();
    }

    /** Generation that the operator's part of the status describes, or null. */
    @Nullable
    Long observedGeneration() {
        return number(status().path("observedGeneration"));
    }

    /** Whether the operator asks for the configuration with this hash. */
    boolean wants(String configHash) {
        return !configHash.isEmpty() && field("agentConfigHash").equals(configHash);
    }

    /** Whether the tunnel is online, as an agent says. */
    boolean isOnline() {
        return conditionText("status").equals("True");
    }

    /**
     * Whether the agent of this pod reported last. A definition of the kind that is older than this agent drops the field;
     * then the message tells.
     */
    boolean isReportOf(String pod) {
        return agent().isObject()
                ? agent().path("pod").asText().equals(pod)
                : conditionText("message").startsWith(TunnelStatus.onlineFrom(pod));
    }

    String agentHash() {
        return agent().path("configHash").asText();
    }

    @Nullable
    Long agentGeneration() {
        return number(agent().path("generation"));
    }

    String agentTargetError() {
        return agent().path("targetError").asText();
    }

    /** What an agent says that should take over; empty when none does. */
    JsonNode next() {
        return status().path("nextAgent");
    }

    String nextPod() {
        return next().path("pod").asText();
    }

    /** A text of the condition TunnelReady, or "". */
    String conditionText(String key) {
        return condition().path(key).asText();
    }

    @Nullable
    Long conditionGeneration() {
        return number(condition().path("observedGeneration"));
    }

    /** A text of the status, or "". */
    String field(String key) {
        return status().path(key).asText();
    }

    /**
     * The request of a server-side apply to the object as it was read: it is refused when the object has changed since.
     *
     * @param status everything that the field manager says; empty to withdraw what it said
     */
    ObjectNode patch(String namespace, String name, ObjectNode status) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.put("apiVersion", API_VERSION).put("kind", KIND);
        patch.putObject("metadata")
                .put("namespace", namespace)
                .put("name", name)
                .put("resourceVersion", resourceVersion());
        if (!status.isEmpty()) {
            patch.set("status", status);
        }
        return patch;
    }

    private JsonNode condition() {
        for (JsonNode condition : status().path("conditions")) {
            if (condition.path("type").asText().equals(CONDITION)) {
                return condition;
            }
        }
        return JsonNodeFactory.instance.objectNode();
    }

    private JsonNode agent() {
        return status().path("agent");
    }

    private JsonNode status() {
        return document.path("status");
    }

    private static @Nullable Long number(JsonNode node) {
        return node.isIntegralNumber() ? node.asLong() : null;
    }
}
