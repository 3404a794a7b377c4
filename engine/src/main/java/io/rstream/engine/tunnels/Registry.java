package io.rstream.engine.tunnels;

import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.metrics.EngineMetrics.TunnelKind;
import io.rstream.protocol.TunnelProtocol;
import java.util.Collection;
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
    private final Map<String, Tunnel> byName = new ConcurrentHashMap<>();
    private final Map<String, Tunnel> byHostname = new ConcurrentHashMap<>();
    private final Map<Integer, Tunnel> byPort = new ConcurrentHashMap<>();
    private final EngineMetrics metrics;

    /** Starts empty. */
    public Registry(EngineMetrics metrics) {
        this.metrics = metrics;
    }

    /**
     * Reserves everything that the tunnel wants for itself, or nothing.
     *
     * @return the tunnels that are in the way; empty means reserved
     */
    public synchronized Set<Tunnel> claim(Tunnel tunnel) {
        Set<Tunnel> holders = new LinkedHashSet<>();
        addHolder(holders, byName, tunnel.properties().name());
        addHolder(holders, byHostname, tunnel.ownHostname());
        addHolder(holders, byPort, tunnel.ownPort());
        if (holders.isEmpty()) {
            byId.put(tunnel.id(), tunnel);
            put(byName, tunnel.properties().name(), tunnel);
            put(byHostname, tunnel.ownHostname(), tunnel);
            put(byPort, tunnel.ownPort(), tunnel);
        }
        return holders;
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
        synchronized (this) {
            if (!byId.remove(tunnel.id(), tunnel)) {
                return false;
            }
            remove(byName, tunnel.properties().name(), tunnel);
            remove(byHostname, tunnel.ownHostname(), tunnel);
            remove(byPort, tunnel.ownPort(), tunnel);
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

    private static <K> void addHolder(Set<Tunnel> holders, Map<K, Tunnel> index, @Nullable K key) {
        Tunnel holder = key == null ? null : index.get(key);
        if (holder != null) {
            holders.add(holder);
        }
    }

    private static <K> void put(Map<K, Tunnel> index, @Nullable K key, Tunnel tunnel) {
        if (key != null) {
            index.put(key, tunnel);
        }
    }

    private static <K> void remove(Map<K, Tunnel> index, @Nullable K key, Tunnel tunnel) {
        if (key != null) {
            index.remove(key, tunnel);
        }
    }
}
