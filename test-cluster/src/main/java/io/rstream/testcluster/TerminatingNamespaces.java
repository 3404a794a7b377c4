package io.rstream.testcluster;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.function.Consumer;

/** Passes on the name of each namespace whose deletion was asked for. */
final class TerminatingNamespaces implements ResourceEventHandler<Namespace> {

    private final Consumer<String> listener;

    TerminatingNamespaces(Consumer<String> listener) {
        this.listener = listener;
    }

    @Override
    public void onAdd(Namespace namespace) {
        check(namespace);
    }

    @Override
    public void onUpdate(Namespace before, Namespace namespace) {
        if (before.getMetadata().getDeletionTimestamp() == null) {
            check(namespace);
        }
    }

    @Override
    public void onDelete(Namespace namespace, boolean unknownFinalState) {
        // Gone already: nothing is left to do.
    }

    private void check(Namespace namespace) {
        if (namespace.getMetadata().getDeletionTimestamp() != null) {
            listener.accept(namespace.getMetadata().getName());
        }
    }
}
