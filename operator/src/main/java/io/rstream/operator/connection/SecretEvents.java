package io.rstream.operator.connection;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.health.Status;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** One reconciler's ear at the shared watch of Secrets. */
final class SecretEvents<P extends HasMetadata> extends AbstractEventSource<Secret, P> {

    private final SecretWatch watch;
    private final Function<ResourceID, Set<ResourceID>> referrers;
    private final Consumer<ResourceID> listener = this::changed;

    SecretEvents(SecretWatch watch, String kind, Function<ResourceID, Set<ResourceID>> referrers) {
        super(Secret.class, "secrets-of-" + kind);
        this.watch = watch;
        this.referrers = referrers;
    }

    @Override
    public void start() {
        super.start();
        watch.listen(listener);
    }

    @Override
    public void stop() {
        watch.forget(listener);
        super.stop();
    }

    /** None: the framework must not see Secrets. */
    @Override
    public Set<Secret> getSecondaryResources(P primary) {
        return Set.of();
    }

    @Override
    public Status getStatus() {
        return watch.isHealthy() ? Status.HEALTHY : Status.UNHEALTHY;
    }

    private void changed(ResourceID secret) {
        referrers.apply(secret).forEach(id -> getEventHandler().handleEvent(new Event(id)));
    }
}
