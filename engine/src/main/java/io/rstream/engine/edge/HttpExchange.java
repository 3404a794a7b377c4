package io.rstream.engine.edge;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.rstream.engine.edge.RequestDecision.Sound;
import io.rstream.engine.edge.RequestDecision.Unsound;
import io.rstream.engine.metrics.EngineMetrics.StreamKind;
import io.rstream.engine.streams.PendingStream;
import io.rstream.engine.streams.StreamOutcome;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.protocol.ByteRelay;
import io.rstream.protocol.RelayOutcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One public HTTP request from its head to the end of its response. Lives on the event loop of the caller's connection.
 *
 * <pre>
 *   CONNECTING --connection to the service--> FORWARDING --response complete--> DONE
 *        |                                      |   \--101--> DONE, bytes are relayed from here on
 *        |                                      +--cut off: own answer if nothing was sent yet, else abort--> DONE
 *        +--no host, no agent, no time: own answer--> DONE
 * </pre>
 *
 * Bodies flow in both directions as they come. A side is read only when the other one takes more.
 */
final class HttpExchange implements UpstreamConnection.User {
    private static final Logger log = LoggerFactory.getLogger(HttpExchange.class);

    private enum Phase {
        CONNECTING,
        FORWARDING,
        DONE
    }

    private final HttpEdge edge;
    private final HttpParts parts;
    private final Downstream downstream;
    private final HttpRequest request;
    /** What came of the body before there was a connection; at most what one read brings. */
    private final Queue<HttpContent> early = new ArrayDeque<>();

    private final ProgressWatch stall;

    private Phase phase = Phase.CONNECTING;
    private @Nullable Sound sound;
    private @Nullable Tunnel tunnel;
    private @Nullable PendingStream pending;
    private @Nullable UpstreamConnection connection;
    private @Nullable ChannelFuture lastRequestWrite;
    private @Nullable Future<?> responseTimer;
    private @Nullable Future<?> requestTimer;
    private boolean pooled;
    private boolean requestComplete;
    private boolean requestAwaited;
    private boolean anythingReceived;
    private boolean informationalEndDue;
    private @Nullable HttpResponse response;
    private boolean upstreamPaused;
    /** Whether what is handled just now is the last of all that has come from the service. */
    private boolean nothingFollows;
    /** Parts of bodies that went either way. */
    private long moved;

    HttpExchange(HttpEdge edge, Downstream downstream, HttpRequest request) {
        this.edge = edge;
        this.parts = edge.parts();
        this.downstream = downstream;
        this.request = request;
        // A caller that neither takes nor sends anything would hold a stream for ever.
        this.stall = new ProgressWatch(
                downstream.loop(),
                parts.timeouts().httpIdle(),
                () -> (moved << Integer.SIZE) + downstream.untaken(),
                () -> abort("the caller stalls"));
    }

    void start() {
        switch (RequestRules.decide(request)) {
            case Unsound unsound -> answer(unsound.answer());
            case Sound accepted -> {
                sound = accepted;
                route(accepted);
            }
        }
    }

    /** A part of the request's body, in the order of arrival; the exchange releases it. */
    void requestContent(HttpContent content) {
        switch (phase) {
            case CONNECTING -> early.add(content);
            case FORWARDING -> forward(content);
            case DONE -> content.release();
        }
    }

    /** All that one read brought was handed over. */
    void requestReadComplete() {
        UpstreamConnection current = connection;
        if (phase != Phase.FORWARDING || requestComplete || current == null) {
            return;
        }
        ChannelFuture written = lastRequestWrite;
        if (current.isWritable() || written == null) {
            readRequest();
        } else {
            written.addListener(_ -> downstream.loop().execute(this::readRequest));
        }
    }

    void downstreamWritable() {
        UpstreamConnection current = connection;
        if (upstreamPaused && current != null && downstream.isWritable()) {
            upstreamPaused = false;
            watchCaller();
            current.read();
        }
    }

    /** The caller is gone. */
    void downstreamClosed() {
        if (phase != Phase.DONE) {
            parts.metrics().requestAborted();
            finish();
        }
    }

    @Override
    public void upstreamRead(List<HttpObject> received, boolean clean) {
        for (int i = 0; i < received.size(); i++) {
            HttpObject part = received.get(i);
            if (phase == Phase.FORWARDING) {
                nothingFollows = clean && i == received.size() - 1;
                handle(part);
            } else {
                ReferenceCountUtil.release(part);
            }
        }
        UpstreamConnection current = connection;
        if (phase != Phase.FORWARDING || current == null) {
            return;
        }
        downstream.flush();
        if (downstream.isWritable()) {
            current.read();
        } else {
            upstreamPaused = true;
        }
        watchCaller();
    }

    @Override
    public void upstreamClosed() {
        if (phase != Phase.FORWARDING) {
            return;
        }
        if (response != null) {
            abort("the service ended the connection within its response");
        } else if (pooled && !anythingReceived && RequestRules.isRepeatable(request)) {
            again();
        } else {
            answer(EdgeAnswer.SERVICE_BROKE);
        }
    }

    private void route(Sound accepted) {
        String host = accepted.authority().host();
        if (host.equals(parts.engineHost()) || accepted.authority().isLocal()) {
            respond(parts.api()
                    .answer(new DefaultHttpRequest(
                            request.protocolVersion(), request.method(), accepted.target(), request.headers())));
            return;
        }
        Optional<Tunnel> found = parts.registry().findByHostname(host);
        if (found.isPresent()) {
            tunnel = found.get();
            UpstreamConnection rested = accepted.upgrade() ? null : rested(found.get());
            if (rested != null) {
                pooled = true;
                attach(rested, accepted);
            } else {
                connect();
            }
        } else {
            answer(EdgeAnswer.UNKNOWN_HOST);
        }
    }

    private @Nullable UpstreamConnection rested(Tunnel of) {
        long now = downstream.loop().ticker().nanoTime();
        return edge.upstreams().take(of, RequestRules.isRepeatable(request), now);
    }

    private void connect() {
        PendingStream asked = parts.broker()
                .open(Objects.requireNonNull(tunnel), downstream.remote(), StreamKind.HTTP, downstream.loop());
        pending = asked;
        asked.outcome().addListener(done -> settled((StreamOutcome) done.getNow()));
    }

    private void settled(StreamOutcome outcome) {
        pending = null;
        switch (outcome) {
            case StreamOutcome.Joined joined -> joined(joined.channel(), joined.tunnel());
            case StreamOutcome.Refused _ -> answer(EdgeAnswer.AGENT_REFUSED);
            case StreamOutcome.TimedOut _ -> answer(EdgeAnswer.AGENT_SILENT);
            case StreamOutcome.AgentLost _, StreamOutcome.TunnelClosed _ -> answer(EdgeAnswer.AGENT_GONE);
            case StreamOutcome.Saturated _ -> answer(EdgeAnswer.SATURATED);
            case StreamOutcome.Abandoned _ -> {
                // The caller is gone, and with it this exchange.
            }
        }
    }

    private void joined(Channel channel, Tunnel of) {
        Sound accepted = sound;
        if (phase == Phase.DONE || accepted == null) {
            var _ = channel.close();
            return;
        }
        attach(
                UpstreamConnection.over(
                        channel, of, edge.upstreams(), parts.limits().headerBytes()),
                accepted);
    }

    private void attach(UpstreamConnection to, Sound accepted) {
        phase = Phase.FORWARDING;
        connection = to;
        to.attach(this, downstream.loop());
        lastRequestWrite = to.write(ForwardedHead.request(request, accepted, downstream.remote()));
        for (HttpContent content = early.poll(); content != null; content = early.poll()) {
            forward(content);
        }
        to.read();
        requestReadComplete();
    }

    /** The rested connection had ended; nothing came of the request, which is sent once more on a new one. */
    private void again() {
        connection = null;
        pooled = false;
        phase = Phase.CONNECTING;
        cancelTimers();
        if (requestComplete) {
            requestComplete = false;
            early.add(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        connect();
    }

    private void forward(HttpContent content) {
        UpstreamConnection current = Objects.requireNonNull(connection);
        cancel(requestTimer);
        if (content.decoderResult().isFailure()) {
            content.release();
            requestBroken();
            return;
        }
        moved++;
        requestAwaited = false;
        parts.metrics().sentToAgent(content.content().readableBytes());
        boolean last = content instanceof LastHttpContent;
        lastRequestWrite = current.write(content);
        if (last) {
            requestComplete = true;
            watchCaller();
            watchResponse();
        }
    }

    private void requestBroken() {
        if (response == null) {
            answer(EdgeAnswer.MALFORMED);
        } else {
            abort("the request's body is malformed");
        }
    }

    private void readRequest() {
        if (phase == Phase.FORWARDING && !requestComplete) {
            if (response == null) {
                cancel(requestTimer);
                requestTimer = after(parts.timeouts().httpIdle(), EdgeAnswer.SLOW_REQUEST);
            }
            requestAwaited = true;
            watchCaller();
            downstream.readRequest();
        }
    }

    /** The caller is waited for when it does not take the response, or gets it and does not go on with its request. */
    private void watchCaller() {
        if (phase == Phase.FORWARDING && (upstreamPaused || (response != null && requestAwaited))) {
            stall.begin();
        } else {
            stall.end();
        }
    }

    private void watchResponse() {
        Duration limit = parts.timeouts().responseHeader();
        if (limit != null && response == null) {
            responseTimer = after(limit, EdgeAnswer.SERVICE_SILENT);
        }
    }

    private Future<?> after(Duration limit, EdgeAnswer late) {
        return downstream
                .loop()
                .schedule(
                        () -> {
                            if (phase == Phase.FORWARDING && response == null) {
                                answer(late);
                            }
                        },
                        limit.toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    private void handle(HttpObject part) {
        anythingReceived = true;
        if (part.decoderResult().isFailure()) {
            ReferenceCountUtil.release(part);
            responseBroken();
        } else if (part instanceof HttpResponse head) {
            handleHead(head);
        } else if (part instanceof HttpContent content) {
            handleContent(content);
        } else {
            ReferenceCountUtil.release(part);
        }
    }

    private void responseBroken() {
        if (response == null) {
            answer(EdgeAnswer.SERVICE_UNREADABLE);
        } else {
            abort("the response is cut off or malformed");
        }
    }

    private void handleHead(HttpResponse head) {
        int status = head.status().code();
        if (status == HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
            if (sound != null && sound.upgrade()) {
                switchProtocols(head);
            } else {
                answer(EdgeAnswer.SERVICE_UNREADABLE);
            }
        } else if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
            informationalEndDue = true;
            if (downstream.takesInformational()) {
                FullHttpResponse informational = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, head.status());
                informational.headers().add(ForwardedHead.response(head).headers());
                downstream.write(informational);
            }
        } else {
            cancelTimers();
            response = head;
            downstream.write(ForwardedHead.response(head));
        }
    }

    private void handleContent(HttpContent content) {
        if (response == null) {
            // The decoder ends informational responses, too.
            content.release();
            if (!informationalEndDue) {
                answer(EdgeAnswer.SERVICE_UNREADABLE);
            }
            informationalEndDue = false;
            return;
        }
        moved++;
        parts.metrics().receivedFromAgent(content.content().readableBytes());
        boolean last = content instanceof LastHttpContent;
        downstream.write(content);
        if (last) {
            complete(response);
        }
    }

    private void complete(HttpResponse head) {
        UpstreamConnection used = Objects.requireNonNull(connection);
        boolean endsWithConnection =
                !HttpUtil.isTransferEncodingChunked(head) && !HttpUtil.isContentLengthSet(head) && mayHaveBody(head);
        // What came behind the response was not asked for, and the next caller would get it for an answer.
        if (requestComplete && nothingFollows && HttpUtil.isKeepAlive(head) && !endsWithConnection) {
            connection = null;
            edge.upstreams().giveBack(used);
        }
        parts.metrics().requestAnswered(head.status().code());
        finish();
        downstream.responseComplete();
    }

    private boolean mayHaveBody(HttpResponse head) {
        int status = head.status().code();
        return !request.method().equals(HttpMethod.HEAD) && status != 204 && status != 304;
    }

    private void switchProtocols(HttpResponse head) {
        UpstreamConnection used = Objects.requireNonNull(connection);
        connection = null;
        parts.metrics().requestAnswered(head.status().code());
        downstream.write(ForwardedHead.switching(head));
        downstream.flush();
        finish();
        Channel caller = downstream.becomeRaw();
        used.becomeRaw().addListener(done -> {
            if (done.isSuccess()) {
                relay(caller, (Channel) done.getNow());
            } else {
                cutOff(caller);
            }
        });
    }

    /** An orderly end of TLS could be taken for the end of what the service had to say. */
    private static void cutOff(Channel caller) {
        caller.config().setOption(ChannelOption.SO_LINGER, 0);
        caller.eventLoop().execute(() -> {
            ChannelHandlerContext first = caller.pipeline().firstContext();
            var _ = first == null ? caller.close() : first.close();
        });
    }

    private void relay(Channel caller, Channel service) {
        ByteRelay.join(caller, service).addListener(done -> {
            RelayOutcome outcome = (RelayOutcome) done.getNow();
            parts.metrics().sentToAgent(outcome.firstToSecond());
            parts.metrics().receivedFromAgent(outcome.secondToFirst());
        });
    }

    /** Answers in the engine's own name; nothing of a response was sent before. */
    private void answer(EdgeAnswer answer) {
        log.atDebug()
                .addKeyValue("remote", downstream.remote())
                .addKeyValue("reason", answer.sentence())
                .log("Request answered by the engine");
        respond(answer.response());
    }

    private void respond(FullHttpResponse own) {
        if (phase == Phase.DONE) {
            own.release();
            return;
        }
        parts.metrics().requestAnswered(own.status().code());
        finish();
        downstream.write(request.method().equals(HttpMethod.HEAD) ? withoutBody(own) : own);
        downstream.responseComplete();
    }

    private static FullHttpResponse withoutBody(FullHttpResponse own) {
        own.release();
        return own.replace(Unpooled.EMPTY_BUFFER);
    }

    private void abort(String reason) {
        log.atDebug()
                .addKeyValue("remote", downstream.remote())
                .addKeyValue("reason", reason)
                .log("Response cut off");
        parts.metrics().requestAborted();
        finish();
        downstream.abort();
    }

    /** Lets go of everything but the caller. */
    private void finish() {
        phase = Phase.DONE;
        cancelTimers();
        for (HttpContent content = early.poll(); content != null; content = early.poll()) {
            content.release();
        }
        if (pending != null) {
            pending.abandon();
            pending = null;
        }
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    private void cancelTimers() {
        cancel(requestTimer);
        cancel(responseTimer);
        stall.end();
    }

    private static void cancel(@Nullable Future<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
