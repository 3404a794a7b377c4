package io.rstream.engine.tunnels;

import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.metrics.EngineMetrics.TunnelKind;
import io.rstream.protocol.TunnelProtocol;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All tunnels by id, name, host name and port. Names, host names and ports belong to one tunnel at a time, from the
 * reservation on; only tunnels that are online are found. Thread-safe: claims are made and given up under one lock, look-ups
 * take none.
 */
public final class Registry {
    private final Map<String, Tunnel> byId = new ConcurrentHashMap<>();
    private final Map<Object, Tunnel> byName = new ConcurrentHashMap<>();
    private final Map<Object, Tunnel> byHostname = new ConcurrentHashMap<>();
    private final Map<Object, Tunnel> byPort = new ConcurrentHashMap<>();
    private final Reservations reservations;
    private final EngineMetrics metrics;

    /**
     * Starts empty.
     *
     * @param reservations from now on this registry's own
     */
    public Registry(EngineMetrics metrics, Reservations reservations) {
        this.metrics = metrics;
        this.reservations = reservations;
    }

    /** Reserves everything that the tunnel wants for itself, or nothing. */
    public synchronized Claim claim(Tunnel tunnel) {
        Set<Claim.Kind> taken = EnumSet.noneOf(Claim.Kind.class);
        Set<Tunnel> holders = new LinkedHashSet<>();
        boolean kept = false;
        for (Map.Entry<Claim.Kind, Object> own : own(tunnel).entrySet()) {
            Tunnel holder = index(own.getKey()).get(own.getValue());
            if (holder != null) {
                holders.add(holder);
                taken.add(own.getKey());
            } else if (reservations.bars(
                    own.getKey(), own.getValue(), tunnel.owner().principal())) {
                kept = true;
                taken.add(own.getKey());
            }
        }
        if (taken.isEmpty()) {
            byId.put(tunnel.id(), tunnel);
            own(tunnel).forEach((kind, value) -> {
                index(kind).put(value, tunnel);
                reservations.end(kind, value);
            });
        }
        return new Claim(taken, holders, kept);
    }

    /** Makes a reserved tunnel findable. Does nothing when it is gone in the meantime. */
    public void publish(Tunnel tunnel) {
        synchronized (this) {
            if (!tunnel.equals(byId.get(tunnel.id()))) {
                return;
            }
            tunnel.goOnline();
        }
        TunnelKind kind = kind(tunnel);
        metrics.tunnelOpened(kind);
        tunnel.whenGone(() -> metrics.tunnelClosed(kind));
    }

    /**
     * Gives up everything that the tunnel holds. Streams that exist go on.
     *
     * @return false when it was gone already
     */
    public boolean remove(Tunnel tunnel) {
        return remove(tunnel, false);
    }

    /**
     * As {@link #remove}, for a tunnel whose session was lost: for a time nobody but its principal can claim what it held
     * (protocol, section 10.6).
     */
    public void lose(Tunnel tunnel) {
        remove(tunnel, true);
    }

    private boolean remove(Tunnel tunnel, boolean keep) {
        synchronized (this) {
            if (!byId.remove(tunnel.id(), tunnel)) {
                return false;
            }
            own(tunnel).forEach((kind, value) -> {
                index(kind).remove(value, tunnel);
                if (keep) {
                    reservations.begin(kind, value, tunnel.owner().principal());
                }
            });
        }
        tunnel.goAway();
        return true;
    }

    /** The published HTTP tunnel with this lower-case host name. */
    public Optional<Tunnel> findByHostname(String hostname) {
        return online(byHostname.get(hostname));
    }

    /** The tunnel with this id, else the one with this name (protocol, section 12). */
    public Optional<Tunnel> findByIdOrName(String idOrName) {
        return online(byId.get(idOrName)).or(() -> online(byName.get(idOrName)));
    }

    /** The tunnel with this id. */
    public Optional<Tunnel> findById(String id) {
        return online(byId.get(id));
    }

    /** All tunnels that are online or reserved, at about this moment. */
    public Collection<Tunnel> tunnels() {
        return byId.values();
    }

    private static Optional<Tunnel> online(@Nullable Tunnel tunnel) {
        return Optional.ofNullable(tunnel).filter(Tunnel::online);
    }

    private static TunnelKind kind(Tunnel tunnel) {
        if (!tunnel.published()) {
            return TunnelKind.PRIVATE;
        }
        return tunnel.publishes(TunnelProtocol.TCP) ? TunnelKind.TCP : TunnelKind.HTTP;
    }

    private static Map<Claim.Kind, Object> own(Tunnel tunnel) {
        Map<Claim.Kind, Object> own = new EnumMap<>(Claim.Kind.class);
        putIfAny(own, Claim.Kind.NAME, tunnel.properties().name());
        putIfAny(own, Claim.Kind.HOSTNAME, tunnel.ownHostname());
        putIfAny(own, Claim.Kind.PORT, tunnel.ownPort());
        return own;
    }

    private static void putIfAny(Map<Claim.Kind, Object> own, Claim.Kind kind, @Nullable Object value) {
        if (value != null) {
            own.put(kind, value);
        }
    }

    private Map<Object, Tunnel> index(Claim.Kind kind) {
        return switch (kind) {
            case NAME -> byName;
            case HOSTNAME -> byHostname;
            case PORT -> byPort;
        };
    }
}
