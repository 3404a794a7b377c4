package io.rstream.agent.stream;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rstream.agent.connect.EngineConnector;
import io.rstream.agent.log.TunnelName;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.Message.ProxyConnectionRequest;
import io.rstream.protocol.Message.ProxyConnectionResponse;
import io.rstream.protocol.RelayOutcome;
import io.rstream.protocol.WireError;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the streams that the engine asks for during one session: a bounded number is opened at a time, a bounded number
 * waits, the rest is refused (rstream protocol, sections 10.8 and 11.3). Every request gets exactly one answer. State
 * belongs to the event loop of the control channel; streams run on all loops.
 */
public final class StreamAcceptor {
    private static final Logger log = LoggerFactory.getLogger(StreamAcceptor.class);

    /** What all sessions share. */
    public static final class Shared {
        private static final Duration WARNING_PERIOD = Duration.ofSeconds(10);

        private final EventLoopGroup loops;
        private final TargetMonitor target;
        private final StreamLimits limits;
        private final StreamTimings timings;
        private final ActiveStreams active;
        private final TunnelName name;
        private final RareWarning warning;

        public Shared(
                EventLoopGroup loops,
                TargetMonitor target,
                StreamLimits limits,
                StreamTimings timings,
                ActiveStreams active,
                TunnelName name) {
            this.loops = loops;
            this.target = target;
            this.limits = limits;
            this.timings = timings;
            this.active = active;
            this.name = name;
            this.warning = new RareWarning(WARNING_PERIOD, loops.next().ticker()::nanoTime);
        }

        /** All streams of the process. */
        public ActiveStreams active() {
            return active;
        }
    }

    /** A request and when it is too late to answer it with a stream. */
    private record Asked(ProxyConnectionRequest request, long deadlineNanos) {}

    private final Shared shared;
    private final EventLoop control;
    private final EngineConnector connector;
    private final ClientDetails client;
    private final Consumer<ProxyConnectionResponse> answers;
    private final Queue<Asked> waiting = new ArrayDeque<>();
    private int opening;
    private int unfinished;
    private @Nullable Promise<Void> whenIdle;
    private @Nullable String closedReason;

    /**
     * Serves one session.
     *
     * @param control the event loop of the control channel
     * @param client what the agent says about itself; its token is replaced by the stream's secret
     * @param answers takes the answers, on the control channel's event loop
     */
    public StreamAcceptor(
            Shared shared,
            EventLoop control,
            EngineConnector connector,
            ClientDetails client,
            Consumer<ProxyConnectionResponse> answers) {
        this.shared = shared;
        this.control = control;
        this.connector = connector;
        this.client = client.withToken(null);
        this.answers = answers;
    }

    /** Takes a request for this tunnel; on the control channel's event loop. */
    public void accept(ProxyConnectionRequest request) {
        if (closedReason != null) {
            refuse(request, closedReason);
        } else if (shared.active.count() + waiting.size() >= shared.limits.open()) {
            refuse(request, "the agent serves %d streams already".formatted(shared.limits.open()));
        } else if (opening < shared.limits.opening()) {
            open(asked(request));
        } else if (waiting.size() < shared.limits.waiting()) {
            waiting.add(asked(request));
        } else {
            refuse(request, "the agent has %d streams waiting already".formatted(shared.limits.waiting()));
        }
    }

    /** Answers with an error and serves nothing. */
    public void refuse(ProxyConnectionRequest request, String reason) {
        shared.active.countRefused();
        answer(request, reason);
    }

    /** Refuses what waits and what comes from now on; open streams go on. On the control channel's event loop. */
    public void close(String reason) {
        closedReason = reason;
        for (Asked next = waiting.poll(); next != null; next = waiting.poll()) {
            refuse(next.request(), reason);
        }
    }

    /** Completes when no stream of this session is open or being opened; on the control channel's event loop. */
    public Future<Void> idle() {
        Promise<Void> promise = whenIdle == null ? control.newPromise() : whenIdle;
        whenIdle = promise;
        announceIdle();
        return promise;
    }

    private void finished() {
        unfinished--;
        announceIdle();
    }

    private void announceIdle() {
        if (whenIdle != null && unfinished == 0) {
            whenIdle.trySuccess(null);
        }
    }

    private Asked asked(ProxyConnectionRequest request) {
        return new Asked(
                request, control.ticker().nanoTime() + shared.timings.opening().toNanos());
    }

    private void open(Asked asked) {
        ProxyConnectionRequest request = asked.request();
        opening++;
        unfinished++;
        ActiveStreams.Ticket ticket = shared.active.begin();
        EventLoop loop = shared.loops.next();
        StreamOpening.Observer observer = new StreamOpening.Observer() {
            @Override
            public void joined() {
                control.execute(() -> opened(request, null));
            }

            @Override
            public void refused(StreamRefusal refusal) {
                ticket.end();
                failed(request, refusal);
                control.execute(() -> {
                    opened(request, refusal);
                    finished();
                });
            }

            @Override
            public void ended(RelayOutcome outcome) {
                ticket.end();
                shared.active.countBytes(outcome.firstToSecond(), outcome.secondToFirst());
                logEnd(request, outcome);
                if (!control.isShuttingDown()) {
                    control.execute(StreamAcceptor.this::finished);
                }
            }
        };
        loop.execute(new StreamOpening(
                loop,
                shared.target,
                connector,
                request,
                client,
                ticket,
                shared.timings,
                asked.deadlineNanos(),
                observer)::start);
    }

    private void opened(ProxyConnectionRequest request, @Nullable StreamRefusal failure) {
        opening--;
        answer(request, failure == null ? null : String.valueOf(failure.getMessage()));
        for (Asked next = waiting.poll(); next != null; next = waiting.poll()) {
            if (hasTime(next)) {
                open(next);
                return;
            }
            refuse(next.request(), "the agent was busy for too long to open the stream");
        }
    }

    /** Whether one whole attempt fits in; otherwise the engine gives up first. */
    private boolean hasTime(Asked asked) {
        return asked.deadlineNanos() - control.ticker().nanoTime()
                >= shared.timings.attempt().toNanos();
    }

    private void answer(ProxyConnectionRequest request, @Nullable String error) {
        answers.accept(new ProxyConnectionResponse(
                request.streamId(), error == null ? null : new WireError(WireError.SERVICE_UNAVAILABLE, error)));
    }

    private void failed(ProxyConnectionRequest request, StreamRefusal refusal) {
        if (refusal.isUpstream()) {
            shared.active.countFailedDial();
        } else {
            shared.active.countFailed();
        }
        long suppressed = shared.warning.take();
        if (suppressed >= 0) {
            shared.name
                    .on(log.atWarn())
                    .addKeyValue("target", shared.target.target())
                    .addKeyValue("stream", request.streamId())
                    .addKeyValue("error", refusal.getMessage())
                    .addKeyValue("suppressed", suppressed)
                    .log("Stream could not be opened");
        }
    }

    private void logEnd(ProxyConnectionRequest request, RelayOutcome outcome) {
        shared.name
                .on(log.atDebug())
                .addKeyValue("stream", request.streamId())
                .addKeyValue("remote", request.sourceAddress())
                .addKeyValue("reason", outcome.reason())
                .addKeyValue("fromEngine", outcome.firstToSecond())
                .addKeyValue("fromTarget", outcome.secondToFirst())
                .log("Stream ended");
    }
}
