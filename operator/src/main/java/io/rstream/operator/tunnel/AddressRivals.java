package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.ResourceEventAware;
import io.rstream.api.v1alpha1.RstreamTunnel;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tunnels that ask for one {@link PublicAddress}: finds those that are older than a given one, and wakes the others when one
 * of them appears, goes, or asks for something else. The order, by creation and then by UID, depends on nothing that
 * changes, so that two passes, and two operators, always agree who keeps the address. After a restore from a backup all
 * tunnels are new, and another one may be the oldest.
 */
final class AddressRivals extends AbstractEventSource<PublicAddress, RstreamTunnel>
        implements ResourceEventAware<RstreamTunnel> {

    private static final String BY_ADDRESS = "address";

    /** Creation times are text of one length in UTC, so that their order is that of the times. */
    private static final Comparator<RstreamTunnel> BY_AGE = Comparator.comparing((RstreamTunnel tunnel) ->
                    Objects.requireNonNullElse(tunnel.getMetadata().getCreationTimestamp(), ""))
            .thenComparing(tunnel -> tunnel.getMetadata().getUid());

    private final IndexerResourceCache<RstreamTunnel> tunnels;

    AddressRivals(IndexerResourceCache<RstreamTunnel> tunnels) {
        super(PublicAddress.class, "address-rivals");
        this.tunnels = tunnels;
        tunnels.addIndexer(
                BY_ADDRESS,
                tunnel -> PublicAddress.wanted(tunnel).map(PublicAddress::text).stream()
                        .toList());
    }

    /** Older tunnels that ask for the same address, at whatever engine; the oldest first. */
    List<RstreamTunnel> olderThan(RstreamTunnel tunnel) {
        return PublicAddress.wanted(tunnel).stream()
                .flatMap(this::asking)
                .filter(other -> BY_AGE.compare(other, tunnel) < 0)
                .sorted(BY_AGE)
                .toList();
    }

    /** The other tunnels that ask for the same address. */
    Set<ResourceID> of(RstreamTunnel tunnel) {
        var self = ResourceID.fromResource(tunnel);
        return PublicAddress.wanted(tunnel).stream()
                .flatMap(this::asking)
                .map(ResourceID::fromResource)
                .filter(id -> !id.equals(self))
                .collect(Collectors.toSet());
    }

    @Override
    public void onResourceCreated(RstreamTunnel tunnel) {
        wake(of(tunnel));
    }

    @Override
    public void onResourceUpdated(RstreamTunnel after, RstreamTunnel before) {
        if (!Objects.equals(generation(after), generation(before))) {
            wake(of(before));
            wake(of(after));
        }
    }

    @Override
    public void onResourceDeleted(RstreamTunnel tunnel) {
        wake(of(tunnel));
    }

    /** None: tunnels are no secondary resources. */
    @Override
    public Set<PublicAddress> getSecondaryResources(RstreamTunnel primary) {
        return Set.of();
    }

    private void wake(Set<ResourceID> others) {
        others.forEach(id -> getEventHandler().handleEvent(new Event(id)));
    }

    private Stream<RstreamTunnel> asking(PublicAddress address) {
        return tunnels.byIndex(BY_ADDRESS, address.text()).stream();
    }

    private static Optional<Long> generation(HasMetadata tunnel) {
        return Optional.ofNullable(tunnel.getMetadata().getGeneration());
    }
}
