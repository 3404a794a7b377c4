package io.rstream.operator.connection;

import io.javaoperatorsdk.operator.processing.event.source.ResourceEventAware;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.rstream.api.v1alpha1.RstreamConnection;
import java.util.function.Consumer;

/** Wakes connections whose look-up has ended, and tells when a connection is gone. */
final class LookUpEvents extends SimpleInboundEventSource<RstreamConnection>
        implements ResourceEventAware<RstreamConnection> {

    private final Consumer<RstreamConnection> onDeleted;

    LookUpEvents(Consumer<RstreamConnection> onDeleted) {
        super("look-ups");
        this.onDeleted = onDeleted;
    }

    @Override
    public void onResourceDeleted(RstreamConnection connection) {
        onDeleted.accept(connection);
    }
}
