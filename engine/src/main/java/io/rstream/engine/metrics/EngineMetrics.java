package io.rstream.engine.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Declares every meter of the engine. Thread-safe. No tag ever holds a host name, path, address or message. */
public final class EngineMetrics {
    /** Who asked for a stream. */
    public enum StreamKind {
        HTTP,
        TCP,
        DIAL
    }

    /** What kind of tunnel is online. */
    public enum TunnelKind {
        HTTP,
        TCP,
        PRIVATE
    }

    /** Why a stream did not come about. */
    public enum RendezvousFailure {
        REFUSED,
        TIMEOUT,
        AGENT_LOST,
        CAPACITY,
        ABANDONED
    }

    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger sessions = new AtomicInteger();
    private final AtomicInteger streams = new AtomicInteger();
    private final Map<TunnelKind, AtomicInteger> tunnels = new EnumMap<>(TunnelKind.class);
    private final Map<StreamKind, Counter> opened = new EnumMap<>(StreamKind.class);
    private final Map<RendezvousFailure, Counter> failures = new EnumMap<>(RendezvousFailure.class);
    private final Counter[] requests = new Counter[6];
    private final Counter abortedRequests;
    private final Counter toAgents;
    private final Counter fromAgents;
    private final Counter handshakeFailures;
    private final Counter takeovers;
    private final Counter reoffers;

    /** Registers all meters. */
    public EngineMetrics(MeterRegistry registry) {
        gauge(registry, "rstream.engine.connections", "Open connections on the public port", connections);
        gauge(registry, "rstream.engine.sessions", "Open control channels", sessions);
        gauge(registry, "rstream.engine.streams", "Streams that are joined with an agent", streams);
        for (TunnelKind kind : TunnelKind.values()) {
            AtomicInteger online = new AtomicInteger();
            tunnels.put(kind, online);
            Gauge.builder("rstream.engine.tunnels", online, AtomicInteger::get)
                    .description("Tunnels that are online")
                    .tag("kind", tag(kind))
                    .register(registry);
        }
        for (StreamKind kind : StreamKind.values()) {
            opened.put(kind, counter(registry, "rstream.engine.streams.opened", "Streams joined", "kind", tag(kind)));
        }
        for (RendezvousFailure reason : RendezvousFailure.values()) {
            failures.put(
                    reason,
                    counter(
                            registry,
                            "rstream.engine.rendezvous.failures",
                            "Streams that found no agent",
                            "reason",
                            tag(reason)));
        }
        for (int hundreds = 1; hundreds < requests.length; hundreds++) {
            requests[hundreds] = httpRequests(registry, hundreds + "xx");
        }
        abortedRequests = httpRequests(registry, "aborted");
        toAgents = bytes(registry, "to_agent");
        fromAgents = bytes(registry, "from_agent");
        handshakeFailures = Counter.builder("rstream.engine.handshake.failures")
                .description("Connections that did not complete a TLS handshake")
                .register(registry);
        takeovers = Counter.builder("rstream.engine.takeovers")
                .description("Tunnels taken over from an older session of the same client")
                .register(registry);
        reoffers = Counter.builder("rstream.engine.rendezvous.reoffers")
                .description("Streams offered to another session of the tunnel, since the first one left or refused")
                .register(registry);
    }

    /** A connection on the public port was accepted. */
    public int connectionOpened() {
        return connections.incrementAndGet();
    }

    /** Such a connection is closed. */
    public void connectionClosed() {
        connections.decrementAndGet();
    }

    /** How many connections are open. */
    public int openConnections() {
        return connections.get();
    }

    /** A control channel was admitted. */
    public void sessionOpened() {
        sessions.incrementAndGet();
    }

    /** A control channel ended. */
    public void sessionClosed() {
        sessions.decrementAndGet();
    }

    /** A tunnel is online. */
    public void tunnelOpened(TunnelKind kind) {
        count(kind).incrementAndGet();
    }

    /** A tunnel is gone. */
    public void tunnelClosed(TunnelKind kind) {
        count(kind).decrementAndGet();
    }

    /** A stream found its agent. */
    public void streamOpened(StreamKind kind) {
        streams.incrementAndGet();
        Counter counter = opened.get(kind);
        if (counter != null) {
            counter.increment();
        }
    }

    /** The agent's side of a stream is closed. */
    public void streamClosed() {
        streams.decrementAndGet();
    }

    /** A stream found no agent. */
    public void rendezvousFailed(RendezvousFailure reason) {
        Counter counter = failures.get(reason);
        if (counter != null) {
            counter.increment();
        }
    }

    /** A request was answered with this status. */
    public void requestAnswered(int status) {
        int hundreds = Math.clamp(status / 100, 1, 5);
        requests[hundreds].increment();
    }

    /** A request ended before its response was complete. */
    public void requestAborted() {
        abortedRequests.increment();
    }

    /** Bytes went to an agent. */
    public void sentToAgent(long bytes) {
        toAgents.increment((double) bytes);
    }

    /** Bytes came from an agent. */
    public void receivedFromAgent(long bytes) {
        fromAgents.increment((double) bytes);
    }

    /** A connection ended before TLS was up. */
    public void handshakeFailed() {
        handshakeFailures.increment();
    }

    /** A tunnel changed hands. */
    public void takenOver() {
        takeovers.increment();
    }

    /** A stream is offered to another session of its tunnel. */
    public void reoffered() {
        reoffers.increment();
    }

    private AtomicInteger count(TunnelKind kind) {
        AtomicInteger count = tunnels.get(kind);
        if (count == null) {
            throw new IllegalStateException("no gauge for " + kind);
        }
        return count;
    }

    private static void gauge(MeterRegistry registry, String name, String description, AtomicInteger value) {
        Gauge.builder(name, value, AtomicInteger::get).description(description).register(registry);
    }

    private static Counter counter(MeterRegistry registry, String name, String description, String tag, String value) {
        return Counter.builder(name).description(description).tag(tag, value).register(registry);
    }

    private static Counter httpRequests(MeterRegistry registry, String kind) {
        return counter(registry, "rstream.engine.http.requests", "Requests to HTTP tunnels and the API", "class", kind);
    }

    private static Counter bytes(MeterRegistry registry, String direction) {
        return Counter.builder("rstream.engine.bytes")
                .description("Payload bytes relayed")
                .baseUnit("bytes")
                .tag("direction", direction)
                .register(registry);
    }

    private static String tag(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
