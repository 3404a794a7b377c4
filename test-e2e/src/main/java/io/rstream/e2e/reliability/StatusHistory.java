package io.rstream.e2e.reliability;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.api.v1alpha1.RstreamTunnelStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** Each status that one tunnel had, and since when, as a watch that no fault touches shows it. Thread-safe. */
public final class StatusHistory implements AutoCloseable {

    private record Entry(long nanos, RstreamTunnelStatus status) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Entry> entries = new ArrayList<>(); // Guarded by the lock.
    private final SharedIndexInformer<RstreamTunnel> informer;

    private StatusHistory(KubernetesClient client, String namespace, String tunnel) {
        this.informer = client.resources(RstreamTunnel.class)
                .inNamespace(namespace)
                .withName(tunnel)
                .inform(new Changes());
    }

    /** Begins to note. */
    public static StatusHistory of(KubernetesClient client, String namespace, String tunnel) {
        return new StatusHistory(client, namespace, tunnel);
    }

    /**
     * Waits for a status that has not been there before a time, or was there at that time and still held.
     *
     * @return since when, not before the given time; empty when it does not come in time
     */
    public OptionalLong awaitFirst(long sinceNanos, Predicate<RstreamTunnelStatus> wanted, Duration limit)
            throws InterruptedException {
        var left = limit.toNanos();
        lock.lock();
        try {
            var found = find(sinceNanos, wanted);
            while (found.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
                found = find(sinceNanos, wanted);
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** The newest status, for failures. */
    public String newest() {
        lock.lock();
        try {
            return entries.isEmpty() ? "no status" : entries.getLast().status().toString();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        informer.close();
    }

    private OptionalLong find(long sinceNanos, Predicate<RstreamTunnelStatus> wanted) {
        for (var i = 0; i < entries.size(); i++) {
            var heldThen = i + 1 == entries.size() || entries.get(i + 1).nanos() > sinceNanos;
            if (heldThen && wanted.test(entries.get(i).status())) {
                return OptionalLong.of(Math.max(sinceNanos, entries.get(i).nanos()));
            }
        }
        return OptionalLong.empty();
    }

    private final class Changes implements ResourceEventHandler<RstreamTunnel> {

        @Override
        public void onAdd(RstreamTunnel tunnel) {
            note(tunnel);
        }

        @Override
        public void onUpdate(RstreamTunnel before, RstreamTunnel tunnel) {
            note(tunnel);
        }

        @Override
        public void onDelete(RstreamTunnel tunnel, boolean unknownFinalState) {
            // The namespace goes with it: nothing more to note.
        }

        private void note(RstreamTunnel tunnel) {
            lock.lock();
            try {
                entries.add(new Entry(System.nanoTime(), tunnel.observed()));
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
