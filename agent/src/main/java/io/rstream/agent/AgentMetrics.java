package io.rstream.agent;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.TunnelEvent;
import io.rstream.agent.stream.ActiveStreams;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;

/** Declares every meter of the agent; each carries the tunnel's namespace and name. Thread-safe. */
final class AgentMetrics {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ActiveStreams active;
    private final AtomicInteger online = new AtomicInteger();
    private final AtomicInteger reachable = new AtomicInteger(1);
    private final Counter reconnects;

    /** Registers all meters. */
    AgentMetrics(TunnelName name, ActiveStreams active) {
        this.active = active;
        // Not "namespace": Prometheus gives that label to the pod.
        registry.config().commonTags("tunnel_namespace", name.namespace(), "tunnel_name", name.name());
        gauge("rstream.agent.tunnel.online", "1 while the tunnel is online, else 0", online);
        gauge("rstream.agent.target.reachable", "0 while the Service cannot be connected to, else 1", reachable);
        Gauge.builder("rstream.agent.streams", active, ActiveStreams::count)
                .description("Streams that are open or being opened")
                .register(registry);
        streams("rstream.agent.streams.opened", "Streams joined with the Service", ActiveStreams::opened);
        streams("rstream.agent.streams.failed", "Streams that did not reach the engine", ActiveStreams::failed);
        streams(
                "rstream.agent.streams.refused",
                "Streams refused for a limit, an unknown tunnel or a shutdown",
                ActiveStreams::refused);
        streams("rstream.agent.dial.failures", "Streams that did not reach the Service", ActiveStreams::failedDials);
        bytes("from_engine", ActiveStreams::bytesFromEngine);
        bytes("to_engine", ActiveStreams::bytesToEngine);
        reconnects = Counter.builder("rstream.agent.reconnects")
                .description("Attempts and sessions that failed and were followed by another attempt")
                .register(registry);
    }

    PrometheusMeterRegistry registry() {
        return registry;
    }

    /** Notes what happened to the tunnel. */
    void tunnel(TunnelEvent event) {
        online.set(event instanceof TunnelEvent.Online ? 1 : 0);
        if (event instanceof TunnelEvent.Disconnected) {
            reconnects.increment();
        }
    }

    /** Notes why the Service cannot be reached, or "" when it can. */
    void target(String error) {
        reachable.set(error.isEmpty() ? 1 : 0);
    }

    private void gauge(String name, String description, AtomicInteger value) {
        Gauge.builder(name, value, AtomicInteger::get).description(description).register(registry);
    }

    private void streams(String name, String description, ToDoubleFunction<ActiveStreams> count) {
        FunctionCounter.builder(name, active, count).description(description).register(registry);
    }

    private void bytes(String direction, ToDoubleFunction<ActiveStreams> count) {
        FunctionCounter.builder("rstream.agent.bytes", active, count)
                .description("Bytes of streams that ended")
                .tag("direction", direction)
                .register(registry);
    }
}
