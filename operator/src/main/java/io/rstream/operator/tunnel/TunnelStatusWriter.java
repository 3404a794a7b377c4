package io.rstream.operator.tunnel;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import io.rstream.operator.event.EventRecorder;
import io.rstream.operator.status.MessagePace;
import io.rstream.operator.status.StatusWriter;
import io.rstream.operator.status.Words;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes the operator's part of a tunnel's status if it differs, not too often, and tells in Events what is new. */
final class TunnelStatusWriter {

    private final MessagePace pace;
    private final EventRecorder events;

    TunnelStatusWriter(MessagePace pace, EventRecorder events) {
        this.pace = pace;
        this.events = events;
    }

    /**
     * Writes if there is something to say, and returns the newest tunnel: the given one when nothing was written.
     *
     * <p>What it returns may hold changes by others (the agent's word, a new spec) that no pass has looked at, and the
     * framework drops the events of those changes, since they are older than this write. So each write is followed by a pass.
     */
    RstreamTunnel write(RstreamTunnel tunnel, RstreamTunnelStatus status, Context<RstreamTunnel> context) {
        var uid = tunnel.getMetadata().getUid();
        var present = TunnelConditions.owned(tunnel.observed());
        if (status.equals(present)) {
            pace.settled(uid, false);
            return tunnel;
        }
        if (wordless(status).equals(wordless(present)) && !pace.mayReword(uid)) {
            return tunnel;
        }
        var patch = new RstreamTunnel();
        patch.setMetadata(StatusWriter.identity(tunnel));
        patch.getMetadata().setResourceVersion(versionIfShared(tunnel, status));
        patch.setStatus(status);
        var latest = StatusWriter.write(patch, written -> TunnelConditions.owned(written.observed()), context);
        pace.settled(uid, true);
        events.conditionsChanged(tunnel, tunnel.observed().conditions(), status.conditions(), status.lastError());
        return latest;
    }

    /** How long words that {@link #write} has held back have to wait. */
    Optional<Duration> pause(RstreamTunnel tunnel) {
        return pace.pause(tunnel.getMetadata().getUid());
    }

    private static RstreamTunnelStatus wordless(RstreamTunnelStatus status) {
        return status.toBuilder()
                .conditions(Words.without(status.conditions()))
                .lastError(status.lastError() == null ? null : "")
                .build();
    }

    /** While the operator stands in for the agent's condition, a stale pass must not overwrite the agent's first word. */
    private static @Nullable String versionIfShared(RstreamTunnel tunnel, RstreamTunnelStatus status) {
        return Conditions.find(status.conditions(), ConditionType.TUNNEL_READY).isPresent()
                ? tunnel.getMetadata().getResourceVersion()
                : null;
    }
}
