package io.rstream.engine.agents;

import io.netty.channel.ChannelFuture;
import io.rstream.engine.tunnels.Claim;
import io.rstream.engine.tunnels.HostnameDecision;
import io.rstream.engine.tunnels.Hostnames;
import io.rstream.engine.tunnels.PropertyDecision;
import io.rstream.engine.tunnels.TcpPorts;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.engine.tunnels.TunnelOwner;
import io.rstream.protocol.Message.OpenTunnelRefused;
import io.rstream.protocol.Message.OpenTunnelRequest;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.TunnelProtocol;
import io.rstream.protocol.WireError;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One request for a tunnel, from the rules to its single answer. Runs on the event loop of the control channel.
 *
 * <pre>
 *   rules --> address (host name or port) --> claim --> listen (TCP only) --> online
 *                                              |  held by another tunnel
 *                                              +--> another address, take-over, or refusal
 * </pre>
 *
 * Take-over (protocol, section 10.6): a session of the same principal gives its tunnel up when it is stale, that is closed
 * or silent for longer than its heartbeats allow. While that is open, the answer waits: an agent that was killed a moment
 * ago has not been noticed yet, one that is alive is heard within one interval. Other principals are refused at once, as is
 * a second tunnel of the same session. No take-over is needed where the {@link io.rstream.engine.tunnels.Registry} lets both
 * sessions have their claim.
 */
final class TunnelOpening {
    private static final long CONTEST_POLL_MILLIS = 50;
    /** How long a session without heartbeats may take to turn out to be closed. */
    private static final long UNKNOWN_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int HTTPS = 443;
    private static final int MOST_NAMES = 16;
    private static final int LONGEST_REQUEST_ID = 1_024;

    private final AgentSession session;
    private final OpenTunnelRequest request;
    private final TunnelDesk desk;
    private final String tunnelId;

    private TunnelProperties properties = TunnelProperties.EMPTY;
    /** The properties with each address that may be tried, in this order. */
    private Iterator<TunnelProperties> candidates = Collections.emptyIterator();
    /** Whether the engine chooses host name or port. */
    private boolean ownChoice;

    private boolean contested;
    private long contestStartNanos;

    TunnelOpening(AgentSession session, OpenTunnelRequest request, TunnelDesk desk) {
        this.session = session;
        this.request = request;
        this.desk = desk;
        this.tunnelId = desk.ids().tunnel();
    }

    void start() {
        if (!session.identity().may(Permission.CREATE_TUNNELS)) {
            refuse(WireError.UNAUTHORIZED, "The credential does not allow to open tunnels.");
            return;
        }
        if (request.requestId().length() > LONGEST_REQUEST_ID) {
            refuse(
                    WireError.INVALID_REQUEST,
                    "The request id is too long; at most " + LONGEST_REQUEST_ID + " characters are allowed.");
            return;
        }
        if (session.tunnelCount() >= desk.tunnelsPerSession()) {
            refuse(WireError.CAPACITY_EXHAUSTED, "The session has as many tunnels as the engine allows.");
            return;
        }
        switch (desk.rules().decide(request.properties())) {
            case PropertyDecision.Refused refused -> refuse(refused.error());
            case PropertyDecision.Accepted accepted -> {
                properties = accepted.properties().toBuilder()
                        .id(tunnelId)
                        .creationDate(desk.clock().instant())
                        .build();
                address();
            }
        }
    }

    private void address() {
        if (!Boolean.TRUE.equals(properties.publish())) {
            candidates = List.of(properties).iterator();
            next();
        } else if (TunnelProtocol.TCP.wireName().equals(properties.protocol())) {
            addressTcp();
        } else {
            addressHttp();
        }
    }

    private void addressHttp() {
        int port = desk.publicPort().getAsInt();
        switch (desk.hostnames().decide(properties.hostname())) {
            case HostnameDecision.Refused refused -> refuse(refused.error());
            case HostnameDecision.Granted granted -> {
                candidates = List.of(at(granted.hostname(), port)).iterator();
                next();
            }
            case HostnameDecision.Allocate _ -> {
                ownChoice = true;
                Stream<TunnelProperties> present = predecessor()
                        .filter(tunnel -> tunnel.publishes(TunnelProtocol.HTTP))
                        .map(tunnel ->
                                at(Objects.requireNonNull(tunnel.properties().hostname()), port))
                        .stream();
                Stream<TunnelProperties> allocated = IntStream.range(0, MOST_NAMES)
                        .mapToObj(attempt -> at(desk.hostnames().allocate(digits(attempt)), port));
                candidates = Stream.concat(present, allocated).iterator();
                next();
            }
        }
    }

    private String digits(int attempt) {
        String name = properties.name();
        return name == null || attempt > 0 ? desk.ids().short8() : Hostnames.stableDigits(session.principal(), name);
    }

    private void addressTcp() {
        Integer port = properties.port();
        if (port == null) {
            ownChoice = true;
            String seed = properties.name() == null ? tunnelId : properties.name();
            IntStream present = predecessor()
                    .filter(tunnel -> tunnel.publishes(TunnelProtocol.TCP))
                    .map(tunnel -> tunnel.properties().port())
                    .stream()
                    .mapToInt(Integer::intValue);
            IntStream all = IntStream.range(0, ports().count()).map(attempt -> ports().candidate(seed, attempt));
            candidates = IntStream.concat(present, all)
                    .mapToObj(candidate -> at(ports().host(), candidate))
                    .iterator();
            next();
        } else if (ports().contains(port)) {
            candidates = List.of(at(ports().host(), port)).iterator();
            next();
        } else {
            refuse(WireError.INVALID_REQUEST, "Reserved TCP address is not available for this project.");
        }
    }

    /** Whose place the tunnel may take, and so its address, whatever else the engine would choose now. */
    private Optional<Tunnel> predecessor() {
        return desk.registry().findPredecessor(new Tunnel(tunnelId, properties, session));
    }

    private TunnelProperties at(String hostname, int port) {
        return properties.toBuilder()
                .hostname(hostname)
                .port(port)
                .host(port == HTTPS ? hostname : hostname + ":" + port)
                .build();
    }

    /** Claims one candidate after the other until one is decided on. */
    private void next() {
        do {
            if (!candidates.hasNext()) {
                refuseForWantOfCandidates();
                return;
            }
            properties = candidates.next();
        } while (!claim());
    }

    /** Claims the present candidate; false when it is somebody else's and the engine is free to choose another. */
    private boolean claim() {
        if (!session.online()) {
            return true;
        }
        Tunnel tunnel = new Tunnel(tunnelId, properties, session);
        Claim claim = desk.registry().claim(tunnel);
        if (claim.granted()) {
            claimed(tunnel);
        } else if (ownChoice && !claim.taken().contains(Claim.Kind.NAME)) {
            return false;
        } else if (claim.kept()) {
            refuse(WireError.INVALID_REQUEST, conflict(claim));
        } else {
            contest(claim);
        }
        return true;
    }

    private void claimOrNext() {
        if (!claim()) {
            next();
        }
    }

    private void contest(Claim claim) {
        long now = session.nanoTime();
        if (!contested) {
            contested = true;
            contestStartNanos = now;
        }
        boolean undecided = false;
        for (Tunnel holder : claim.holders()) {
            TunnelOwner owner = holder.owner();
            if (!owner.principal().equals(session.principal()) || isAlive(owner, now)) {
                refuse(WireError.INVALID_REQUEST, conflict(claim));
                return;
            }
            undecided |= !isStale(owner, now);
        }
        if (undecided) {
            var _ = session.loop().schedule(this::claimOrNext, CONTEST_POLL_MILLIS, TimeUnit.MILLISECONDS);
            return;
        }
        for (Tunnel holder : claim.holders()) {
            if (desk.registry().remove(holder)) {
                desk.metrics().takenOver();
                holder.owner().lost(holder);
            }
        }
        claimOrNext();
    }

    /** The session itself, heard since the contest began, or not known to be dead after a fair wait. */
    private boolean isAlive(TunnelOwner owner, long now) {
        if (owner.equals(session)) {
            return true;
        }
        if (isStale(owner, now)) {
            return false;
        }
        long usualSilence = owner.usualSilenceNanos();
        long patience = usualSilence > 0 ? usualSilence : UNKNOWN_PATIENCE_NANOS;
        return owner.lastHeardNanos() - contestStartNanos > 0 || now - contestStartNanos > patience;
    }

    private static boolean isStale(TunnelOwner owner, long now) {
        long usualSilence = owner.usualSilenceNanos();
        return !owner.online() || (usualSilence > 0 && now - owner.lastHeardNanos() > usualSilence);
    }

    private String conflict(Claim claim) {
        if (claim.taken().contains(Claim.Kind.NAME)) {
            return WireError.TUNNEL_NAME_IN_USE;
        }
        return claim.taken().contains(Claim.Kind.PORT)
                ? WireError.portInUse(Objects.requireNonNull(properties.port()))
                : WireError.HOSTNAME_IN_USE;
    }

    private void claimed(Tunnel tunnel) {
        if (!tunnel.publishes(TunnelProtocol.TCP)) {
            session.opened(tunnel, request.requestId());
            return;
        }
        int port = Objects.requireNonNull(properties.port());
        ChannelFuture bound = ports().listen(port);
        tunnel.whenGone(() -> ports().release(port));
        bound.addListener(_ -> session.loop().execute(() -> bound(tunnel, bound, port)));
    }

    private void bound(Tunnel tunnel, ChannelFuture bound, int port) {
        if (bound.isSuccess() && session.online()) {
            session.opened(tunnel, request.requestId());
            bound.channel().config().setAutoRead(true);
            return;
        }
        desk.registry().remove(tunnel);
        if (!session.online()) {
            return;
        }
        if (ownChoice) {
            next();
        } else {
            // Another process has it, perhaps for a short time only; therefore a code that clients retry.
            refuse(
                    WireError.SERVICE_UNAVAILABLE,
                    "Published TCP port " + port + " cannot be opened: " + reason(bound.cause()) + ".");
        }
    }

    private void refuseForWantOfCandidates() {
        if (TunnelProtocol.TCP.wireName().equals(properties.protocol())) {
            refuse(WireError.CAPACITY_EXHAUSTED, "No port for published TCP tunnels is free.");
        } else {
            refuse(WireError.INTERNAL, "No host name could be allocated.");
        }
    }

    private static String reason(@Nullable Throwable cause) {
        String message = cause == null ? null : cause.getMessage();
        return message == null ? "unknown reason" : message;
    }

    private TcpPorts ports() {
        return Objects.requireNonNull(desk.tcpPorts(), "the rules refuse tcp when there is no range");
    }

    private void refuse(int code, String message) {
        refuse(new WireError(code, message));
    }

    private void refuse(WireError error) {
        session.refused(new OpenTunnelRefused(request.requestId(), error));
    }
}
