package io.rstream.agent.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rstream.agent.status.TunnelStatus.Phase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an agent writes when there may be another one, as while a new agent takes the place of the old one: the
 * report belongs to an agent that is online, whoever else would speak keeps to {@code nextAgent} or says nothing. Belongs to
 * one thread.
 */
final class ReportRules {
    private final AgentIdentity me;
    /** Generation whose configuration this process runs, as far as it could be found out. */
    private @Nullable Long generation;

    ReportRules(AgentIdentity me) {
        this.me = me;
    }

    /**
     * What to write.
     *
     * @param report status of the main report; null to leave it
     * @param next status of the report of the next agent, empty to withdraw it; null to leave it
     * @param unsaid whether something would be said if another agent's report did not stand
     */
    record Decision(@Nullable ObjectNode report, @Nullable ObjectNode next, boolean unsaid) {}

    /**
     * Whether a status is more than other words for the one before: a tunnel that came online meanwhile is, a remark about
     * one that still is online is not.
     */
    static boolean isNews(TunnelStatus status, @Nullable TunnelStatus before) {
        if (before == null || !status.ready() || !before.ready()) {
            return !status.equals(before);
        }
        return !status.tunnelId().equals(before.tunnelId());
    }

    /**
     * Compares the object with what is to be said.
     *
     * @param isNews whether the status has not been said or held back yet; what is no news takes nobody's place
     */
    Decision decide(TunnelObject object, TunnelStatus status, String targetError, boolean isNews, Instant now) {
        generation = generation(object);
        boolean mine = object.isReportOf(me.pod());
        boolean heldByOther = object.isOnline() && !mine;
        boolean mayReport = switch (status.phase()) {
            case ONLINE -> !heldByOther || prevails(object, object.agentHash(), isNews);
            case CONNECTING, FAILED -> !heldByOther;
            case STOPPED -> mine;
        };
        if (mayReport) {
            Report report = new Report(me, status, targetError, generation);
            boolean arrives = status.ready() && isNews && object.next().isObject();
            return new Decision(
                    report.isSaidBy(object) ? null : report.toJson(since(object, report, now)),
                    isMyNext(object) || arrives ? nothing() : null,
                    false);
        }
        if (status.phase() == Phase.FAILED) {
            return new Decision(null, nextReport(object, status, isNews), true);
        }
        return new Decision(null, isMyNext(object) ? nothing() : null, status.phase() != Phase.STOPPED);
    }

    private @Nullable ObjectNode nextReport(TunnelObject object, TunnelStatus status, boolean isNews) {
        NextReport report =
                new NextReport(me, status.message(), status.claimRefused() && mayHold(object, status.message()));
        boolean othersNext = object.next().isObject() && !isMyNext(object);
        boolean mayReport =
                !othersNext || prevails(object, object.next().path("configHash").asText(), isNews);
        return mayReport && !report.isSaidBy(object) ? report.toJson() : null;
    }

    /**
     * Whether the agent that serves can be the one that the engine speaks of: a host name or port that it does not have is
     * somebody else's, and its own end would not help.
     */
    private boolean mayHold(TunnelObject object, String error) {
        String words = error.toLowerCase(Locale.ROOT);
        boolean isAboutAddress = words.contains("hostname") || words.contains("host name") || words.contains(" port ");
        String serving = object.field("forwardingAddress");
        boolean isComparable = me.wantedAddress().startsWith(":") ? serving.matches(".*:[0-9]+.*") : !serving.isEmpty();
        return !isAboutAddress || !isComparable || serving.contains(me.wantedAddress());
    }

    /** Of two agents the one goes first that runs what is wanted; among equals the one that has news. */
    private boolean prevails(TunnelObject object, String otherHash, boolean isNews) {
        boolean iAmWanted = object.wants(me.configHash());
        return iAmWanted == object.wants(otherHash) ? isNews : iAmWanted;
    }

    /** The operator says for which generation the wanted configuration was made; an agent that is not wanted keeps its own. */
    private @Nullable Long generation(TunnelObject object) {
        Long observed = object.observedGeneration();
        if (object.wants(me.configHash()) && observed != null) {
            return observed;
        }
        boolean reportedBefore =
                object.isReportOf(me.pod()) && object.agentHash().equals(me.configHash());
        return generation == null && reportedBefore ? object.agentGeneration() : generation;
    }

    private boolean isMyNext(TunnelObject object) {
        return object.next().isObject() && object.nextPod().equals(me.pod());
    }

    /** The transition time stays when the status does not flip. */
    private static String since(TunnelObject object, Report report, Instant now) {
        String since = object.conditionText("lastTransitionTime");
        boolean flips = !Objects.equals(object.conditionText("status"), report.conditionStatus());
        return flips || since.isEmpty() ? now.truncatedTo(ChronoUnit.SECONDS).toString() : since;
    }

    private static ObjectNode nothing() {
        return JsonNodeFactory.instance.objectNode();
    }
}
