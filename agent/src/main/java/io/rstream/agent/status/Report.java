package io.rstream.agent.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The report of the agent that holds the tunnel, or would if it could: everything that the field manager {@value #MANAGER}
 * owns.
 *
 * @param agent who reports
 * @param status the condition TunnelReady, tunnel ID and forwarding address
 * @param targetError why the Service cannot be reached, or "" while it can
 * @param generation generation whose configuration the agent runs; null while it is not known
 */
record Report(
        AgentIdentity agent,
        TunnelStatus status,
        String targetError,
        @Nullable Long generation) {
    static final String MANAGER = "rstream-agent";

    Report {
        targetError = TunnelObject.bounded(targetError);
    }

    /** Whether the object says this already. */
    boolean isSaidBy(TunnelObject object) {
        return object.conditionText("status").equals(conditionStatus())
                && object.conditionText("reason").equals(status.reason())
                && object.conditionText("message").equals(status.message())
                && Objects.equals(object.conditionGeneration(), generation)
                && object.field("tunnelID").equals(status.tunnelId())
                && object.field("forwardingAddress").equals(status.forwardingAddress())
                && object.isReportOf(agent.pod())
                && object.agentHash().equals(agent.configHash())
                && Objects.equals(object.agentGeneration(), generation)
                && object.agentTargetError().equals(targetError);
    }

    /**
     * The status for server-side apply: a field that is left out is dropped.
     *
     * @param since when the condition took its present status, as text
     */
    ObjectNode toJson(String since) {
        ObjectNode written = JsonNodeFactory.instance.objectNode();
        ObjectNode condition = written.putArray("conditions")
                .addObject()
                .put("type", TunnelObject.CONDITION)
                .put("status", conditionStatus())
                .put("reason", status.reason())
                .put("message", status.message())
                .put("lastTransitionTime", since);
        ObjectNode author = written.putObject("agent");
        putText(author, "pod", agent.pod());
        putText(author, "configHash", agent.configHash());
        putText(author, "targetError", targetError);
        if (generation != null) {
            condition.put("observedGeneration", generation);
            author.put("generation", generation);
        }
        putText(written, "tunnelID", status.tunnelId());
        putText(written, "forwardingAddress", status.forwardingAddress());
        return written;
    }

    String conditionStatus() {
        return status.ready() ? "True" : "False";
    }

    private static void putText(ObjectNode object, String key, String text) {
        if (!text.isEmpty()) {
            object.put(key, text);
        }
    }
}
