package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.AgentReport;
import io.rstream.api.v1alpha1.ConditionType;
import io.rstream.api.v1alpha1.Conditions;
import io.rstream.api.v1alpha1.NextAgent;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.WellKnown;
import io.rstream.operator.status.StatusWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back what agents said whose pods are gone: an empty apply in the agent's name. A pod that is not in the cache is
 * asked for first, and the version of the tunnel goes with the write, so that no word of a living agent is lost.
 */
final class LostReports {

    private static final Logger log = LoggerFactory.getLogger(LostReports.class);
    private static final int INVALID = 422;

    /**
     * What is left.
     *
     * @param tunnel the newest tunnel
     * @param pods the agent's pods, including one that the cache has not got yet
     * @param lostPod the pod whose report said that the tunnel was open, if that was withdrawn
     */
    record Outcome(
            RstreamTunnel tunnel,
            List<AgentPod> pods,
            @Nullable String lostPod) {}

    private LostReports() {}

    /**
     * Withdraws what has to be.
     *
     * @throws KubernetesClientException with code 409 when the tunnel has changed meanwhile; worth another pass
     */
    static Outcome withdraw(RstreamTunnel tunnel, List<AgentPod> cached, KubernetesClient client) {
        var pods = new ArrayList<>(cached);
        var latest = tunnel;
        String lost = null;
        var status = tunnel.observed();
        var reporter = named(Optional.ofNullable(status.agent()).map(AgentReport::pod));
        if (reporter.isPresent() && isGone(reporter.get(), tunnel, pods, client)) {
            lost = Conditions.isTrue(status.conditions(), ConditionType.TUNNEL_READY) ? reporter.get() : null;
            latest = withdraw(latest, WellKnown.FIELD_MANAGER_AGENT, client);
            latest = isLeft(latest) ? remove(latest, client) : latest;
        }
        var next = named(Optional.ofNullable(status.nextAgent()).map(NextAgent::pod));
        if (next.isPresent() && isGone(next.get(), tunnel, pods, client)) {
            latest = withdraw(latest, WellKnown.FIELD_MANAGER_NEXT_AGENT, client);
        }
        return new Outcome(latest, List.copyOf(pods), lost);
    }

    private static boolean isGone(String name, RstreamTunnel tunnel, List<AgentPod> pods, KubernetesClient client) {
        if (pods.stream().anyMatch(pod -> pod.name().equals(name))) {
            return false;
        }
        Pod found = client.pods()
                .inNamespace(tunnel.getMetadata().getNamespace())
                .withName(name)
                .get();
        if (found != null && AgentPods.belongsTo(found, tunnel)) {
            pods.add(AgentPod.of(found));
            return false;
        }
        log.atInfo()
                .addKeyValue("namespace", tunnel.getMetadata().getNamespace())
                .addKeyValue("name", tunnel.getMetadata().getName())
                .addKeyValue("pod", name)
                .log("Pod of the agent is gone; its report is withdrawn");
        return true;
    }

    private static RstreamTunnel withdraw(RstreamTunnel tunnel, String manager, KubernetesClient client) {
        var nothing = new RstreamTunnel();
        nothing.setMetadata(StatusWriter.identity(tunnel));
        nothing.getMetadata().setResourceVersion(tunnel.getMetadata().getResourceVersion());
        try {
            return client.resource(nothing)
                    .subresource("status")
                    .patch(new PatchContext.Builder()
                            .withFieldManager(manager)
                            .withForce(true)
                            .withPatchType(PatchType.SERVER_SIDE_APPLY)
                            .build());
        } catch (KubernetesClientException failure) {
            if (failure.getCode() != INVALID) {
                throw failure;
            }
            return tunnel; // An agent of an earlier version owns a part of the condition, so the rest is not valid
            // alone.
        }
    }

    private static boolean isLeft(RstreamTunnel tunnel) {
        var status = tunnel.observed();
        return status.agent() != null
                || status.tunnelID() != null
                || status.forwardingAddress() != null
                || ReportVerdict.report(status).isPresent();
    }

    /** Removes by name what a manager of earlier versions owns too. */
    private static RstreamTunnel remove(RstreamTunnel tunnel, KubernetesClient client) {
        var status = new HashMap<String, @Nullable Object>();
        status.put("agent", null);
        status.put("tunnelID", null);
        status.put("forwardingAddress", null);
        status.put(
                "conditions",
                tunnel.observed().conditions().stream()
                        .filter(condition -> !condition.is(ConditionType.TUNNEL_READY))
                        .toList());
        var metadata = Map.<String, Object>of(
                "uid", tunnel.getMetadata().getUid(),
                "resourceVersion", tunnel.getMetadata().getResourceVersion());
        return StatusWriter.merge(tunnel, metadata, status, client);
    }

    private static Optional<String> named(Optional<String> pod) {
        return pod.filter(name -> !name.isBlank());
    }
}
