package io.rstream.operator;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the Lease back when the operator stops, so that a successor leads at once instead of after the Lease has run out. The
 * framework has no setting for that. Comes after the framework has stopped, which by then renews no more.
 */
final class LeaseRelease implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LeaseRelease.class);

    private final KubernetesClient client;
    private final OperatorOptions.LeaderElection election;

    LeaseRelease(KubernetesClient client, OperatorOptions.LeaderElection election) {
        this.client = client;
        this.election = election;
    }

    /** Best effort: a Lease that is not given back runs out by itself. */
    @Override
    public void close() {
        try {
            var lease = client.leases()
                    .inNamespace(election.namespace())
                    .withName(OperatorOptions.LEASE)
                    .get();
            if (lease != null && election.identity().equals(lease.getSpec().getHolderIdentity())) {
                release(lease);
            }
        } catch (KubernetesClientException failure) {
            log.atWarn()
                    .addKeyValue("error", failure.getMessage())
                    .log("The Lease was not given back; a successor waits until it has run out");
        }
    }

    /** As client-go does it: nobody holds it, for a second. The version makes sure that nobody else does by now. */
    private void release(Lease lease) {
        client.resource(lease.edit()
                        .editSpec()
                        .withHolderIdentity("")
                        .withLeaseDurationSeconds(1)
                        .endSpec()
                        .build())
                .lockResourceVersion()
                .update();
        log.atInfo().addKeyValue("identity", election.identity()).log("Lease given back");
    }
}
