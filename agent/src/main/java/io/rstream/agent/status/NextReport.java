package io.rstream.agent.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What an agent says that should take the tunnel over and has not managed to: everything that the field manager {@value
 * #MANAGER} owns.
 *
 * @param agent who reports
 * @param error why it does not hold the tunnel
 * @param claimRefused whether the engine refuses it because another agent holds the tunnel
 */
record NextReport(AgentIdentity agent, String error, boolean claimRefused) {
    static final String MANAGER = "rstream-agent-next";

    /** Whether the object says this already. */
    boolean isSaidBy(TunnelObject object) {
        return object.next().equals(toJson().path("nextAgent"));
    }

    /** The status for server-side apply. */
    ObjectNode toJson() {
        ObjectNode written = JsonNodeFactory.instance.objectNode();
        ObjectNode next = written.putObject("nextAgent")
                .put("pod", agent.pod())
                .put("configHash", agent.configHash())
                .put("error", error);
        if (claimRefused) {
            next.put("claimRefused", true);
        }
        return written;
    }
}
