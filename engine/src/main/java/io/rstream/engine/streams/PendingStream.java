package io.rstream.engine.streams;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.engine.metrics.EngineMetrics.StreamKind;
import io.rstream.engine.tunnels.Tunnel;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A stream that somebody waits for. It is offered to one session of the tunnel after the other, to each once, so that it
 * survives the change of agents. Belongs to the asker's executor, but for {@link #canGoElsewhere}.
 *
 * <pre>
 *   offered to a session --joined, timed out, saturated, abandoned--> settled
 *       ^   | refused, agent lost, tunnel closed
 *       +---+ to the newest session that was not asked yet; there is none --> settled
 * </pre>
 */
public final class PendingStream {
    private final Broker broker;
    private final InetAddress source;
    private final StreamKind kind;
    private final EventExecutor asker;
    private final Promise<StreamOutcome> outcome;
    private final List<Tunnel> tried = new CopyOnWriteArrayList<>();
    private @Nullable Rendezvous current;
    private boolean abandoned;

    PendingStream(Broker broker, InetAddress source, StreamKind kind, EventExecutor asker) {
        this.broker = broker;
        this.source = source;
        this.kind = kind;
        this.asker = asker;
        this.outcome = asker.newPromise();
    }

    /** Completes exactly once and never fails; listeners run on the asker's executor. */
    public Future<StreamOutcome> outcome() {
        return outcome;
    }

    /** The asker has gone; has no effect when the outcome is known already. */
    public void abandon() {
        abandoned = true;
        if (current != null) {
            current.abandon();
        }
    }

    void offer(Tunnel tunnel) {
        tried.add(tunnel);
        Rendezvous rendezvous = broker.ask(tunnel, source, this);
        current = rendezvous;
        rendezvous.outcome().addListener(done -> settled(tunnel, (StreamOutcome) done.getNow()));
    }

    StreamKind kind() {
        return kind;
    }

    EventExecutor asker() {
        return asker;
    }

    /** Whether another session of the tunnel could still be asked. Thread-safe. */
    boolean canGoElsewhere(Tunnel tunnel) {
        return broker.next(tunnel, kind, tried).isPresent();
    }

    private void settled(Tunnel tunnel, StreamOutcome result) {
        Optional<Tunnel> next = switch (result) {
            case StreamOutcome.Refused _, StreamOutcome.AgentLost _, StreamOutcome.TunnelClosed _ ->
                broker.next(tunnel, kind, tried);
            case StreamOutcome.Joined _,
                    StreamOutcome.TimedOut _,
                    StreamOutcome.Saturated _,
                    StreamOutcome.Abandoned _ -> Optional.empty();
        };
        if (next.isPresent() && !abandoned) {
            broker.reoffered(tunnel, next.get());
            offer(next.get());
        } else {
            broker.count(tunnel, kind, result);
            outcome.setSuccess(result);
        }
    }
}
