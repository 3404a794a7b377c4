package io.rstream.engine.tunnels;

import io.rstream.engine.metrics.EngineMetrics;
import io.rstream.engine.metrics.EngineMetrics.TunnelKind;
import io.rstream.protocol.TunnelProtocol;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All tunnels by id, name, host name and port. Names, host names and ports belong to one tunnel at a time, from the
 * reservation on; only tunnels that are online are found. Thread-safe: claims are made and given up under one lock, look-ups
 * take none.
 *
 * <p>While an agent takes another one's place, both sessions have a claim on what belongs to the tunnel. Such claims lie on a
 * stack: the newest that is online serves, and when it goes the next older one serves again. Only claims of the same
 * principal that name the same object share a stack.
 */
public final class Registry {
    private final Map<String, Tunnel> byId = new ConcurrentHashMap<>();
    /** For each value of each kind the claims, the newest first; the lists never change and are never empty. */
    private final Map<Claim.Kind, Map<Object, List<Tunnel>>> stacks = new EnumMap<>(Claim.Kind.class);

    private final Reservations reservations;
    private final int claimsPerTunnel;
    private final EngineMetrics metrics;

    /**
     * Starts empty.
     *
     * @param reservations from now on this registry's own
     * @param claimsPerTunnel how many sessions may serve one tunnel at a time, at least 1
     */
    public Registry(EngineMetrics metrics, Reservations reservations, int claimsPerTunnel) {
        this.metrics = metrics;
        this.reservations = reservations;
        this.claimsPerTunnel = claimsPerTunnel;
        for (Claim.Kind kind : Claim.Kind.values()) {
            stacks.put(kind, new ConcurrentHashMap<>());
        }
    }

    /** Reserves everything that the tunnel wants for itself, or nothing. */
    public synchronized Claim claim(Tunnel tunnel) {
        Set<Claim.Kind> taken = EnumSet.noneOf(Claim.Kind.class);
        Set<Tunnel> holders = new LinkedHashSet<>();
        boolean kept = false;
        for (Map.Entry<Claim.Kind, Object> own : own(tunnel).entrySet()) {
            List<Tunnel> stack = stack(own.getKey(), own.getValue());
            if (!stack.isEmpty()) {
                if (!joins(tunnel, stack)) {
                    holders.addAll(stack);
                    taken.add(own.getKey());
                }
            } else if (reservations.bars(
                    own.getKey(), own.getValue(), tunnel.owner().principal())) {
                kept = true;
                taken.add(own.getKey());
            }
        }
        if (taken.isEmpty()) {
            byId.put(tunnel.id(), tunnel);
            own(tunnel).forEach((kind, value) -> {
                Stream<Tunnel> older = stack(kind, value).stream();
                index(kind).put(value, Stream.concat(Stream.of(tunnel), older).toList());
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
                List<Tunnel> left = stack(kind, value).stream()
                        .filter(other -> !other.equals(tunnel))
                        .toList();
                if (!left.isEmpty()) {
                    index(kind).put(value, left);
                    return;
                }
                index(kind).remove(value);
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
        return online(stack(Claim.Kind.HOSTNAME, hostname)).findFirst();
    }

    /** The published TCP tunnel with this port. */
    public Optional<Tunnel> findByPort(int port) {
        return online(stack(Claim.Kind.PORT, port)).findFirst();
    }

    /** The tunnel with this id, else the one with this name (protocol, section 12). */
    public Optional<Tunnel> findByIdOrName(String idOrName) {
        return findById(idOrName)
                .or(() -> online(stack(Claim.Kind.NAME, idOrName)).findFirst());
    }

    /** The tunnel with this id. */
    public Optional<Tunnel> findById(String id) {
        return Optional.ofNullable(byId.get(id)).filter(Tunnel::online);
    }

    /**
     * Another claim on the same tunnel, the newest that is online; the tunnel itself may be gone.
     *
     * @param kind by what the tunnel was found
     * @param tried claims that do not count
     */
    public Optional<Tunnel> findOther(Tunnel tunnel, Claim.Kind kind, Collection<Tunnel> tried) {
        Object value = own(tunnel).get(kind);
        if (value == null) {
            return Optional.empty();
        }
        return online(stack(kind, value))
                .filter(other -> other.standsFor(tunnel) && !tried.contains(other))
                .findFirst();
    }

    /** The claim that holds the name of this tunnel, which is not claimed yet, and whose place it may take. */
    public Optional<Tunnel> findPredecessor(Tunnel tunnel) {
        String name = tunnel.properties().name();
        return name == null
                ? Optional.empty()
                : stack(Claim.Kind.NAME, name).stream()
                        .filter(tunnel::standsFor)
                        .findFirst();
    }

    /** All tunnels that are online or reserved, at about this moment; each claim is one. */
    public Collection<Tunnel> tunnels() {
        return byId.values();
    }

    private boolean joins(Tunnel tunnel, List<Tunnel> stack) {
        return stack.size() < claimsPerTunnel
                && stack.stream()
                        .allMatch(other ->
                                tunnel.standsFor(other) && !other.owner().equals(tunnel.owner()));
    }

    private static Stream<Tunnel> online(List<Tunnel> stack) {
        return stack.stream().filter(Tunnel::online);
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

    private List<Tunnel> stack(Claim.Kind kind, Object value) {
        return index(kind).getOrDefault(value, List.of());
    }

    private Map<Object, List<Tunnel>> index(Claim.Kind kind) {
        return Objects.requireNonNull(stacks.get(kind));
    }
}
