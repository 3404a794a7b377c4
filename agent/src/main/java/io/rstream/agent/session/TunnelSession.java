package io.rstream.agent.session;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.rstream.agent.connect.AttemptException;
import io.rstream.agent.connect.FailureText;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.SessionState.Closing;
import io.rstream.agent.session.SessionState.Closing.Step;
import io.rstream.agent.session.SessionState.Connecting;
import io.rstream.agent.session.SessionState.Creating;
import io.rstream.agent.session.SessionState.Ended;
import io.rstream.agent.session.SessionState.Online;
import io.rstream.agent.session.SessionState.Opening;
import io.rstream.agent.stream.StreamAcceptor;
import io.rstream.process.Durations;
import io.rstream.protocol.ForwardingAddress;
import io.rstream.protocol.Heartbeats;
import io.rstream.protocol.Liveness;
import io.rstream.protocol.LivenessException;
import io.rstream.protocol.Message;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.TunnelType;
import io.rstream.protocol.WireError;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session with an engine, from dialing to loss or orderly end (rstream protocol, sections 10 and 22). All state belongs
 * to its event loop; {@link #close} and {@link #retire} may be called from any thread. Open streams are not part of it: they
 * outlive its loss. One that retires waits for its own streams only and cuts none; before it is online it just ends.
 *
 * <pre>
 *   Connecting --TLS up--> Opening --accepted--> Creating --accepted--> Online
 *       |                     |                     |                     |
 *       |  dial fails, refusal, deadline, lost channel, liveness: SessionEnd.Failed
 *       +---------------------+---------------------+---------------------+--------> Ended
 *       |                     |                     |                     |             ^
 *       |  close()            |                     |                     | close()     |
 *       |                     |                     |                     v             |
 *       |                     |                     |         Closing(TUNNEL)           |
 *       |                     |                     |     CloseTunnelRsp, deadline      |
 *       |                     |                     |                     v             |
 *       +---------------------+---------------------+---> Closing(STREAMS)              |
 *                                                           none left, deadline         |
 *                                                                         v             |
 *                                         Closing(CONTROL) --answer, deadline: Closed---+
 * </pre>
 */
final class TunnelSession implements Reconnector.Attempt {
    private static final Logger log = LoggerFactory.getLogger(TunnelSession.class);

    private static final String CONNECT = "connect control channel: ";
    private static final String CREATE = "create tunnel: ";
    private static final String HANDLER = "rstream-control";

    private final EventLoop loop;
    private final StreamAcceptor.Shared streams;
    private final SessionTimings timings;
    private final TunnelName name;
    private final Reconnector.Listener listener;

    private SessionState state = new Connecting();
    private @Nullable SessionPlan plan;
    private @Nullable StreamAcceptor acceptor;
    private @Nullable Future<?> deadline;
    private boolean retiring;

    TunnelSession(
            EventLoop loop,
            StreamAcceptor.Shared streams,
            SessionTimings timings,
            TunnelName name,
            Reconnector.Listener listener) {
        this.loop = loop;
        this.streams = streams;
        this.timings = timings;
        this.name = name;
        this.listener = listener;
    }

    /** Dials; on the event loop, once. */
    void start(SessionPlan ready) {
        if (!(state instanceof Connecting)) {
            return;
        }
        plan = ready;
        ready.connector().connect(loop).addListener((Future<Channel> connected) -> {
            if (!connected.isSuccess()) {
                notConnected(CONNECT + FailureText.of(connected.cause()), false);
            } else if (state instanceof Connecting) {
                open(ready, connected.getNow());
            } else {
                var _ = connected.getNow().close();
            }
        });
    }

    /** The attempt cannot even be made; on the event loop. */
    void fail(AttemptException failure) {
        notConnected(String.valueOf(failure.getMessage()), failure.isPermanent());
    }

    /** A session that is closing does not need the channel: streams of earlier sessions keep their time to end. */
    private void notConnected(String message, boolean permanent) {
        if (state instanceof Connecting) {
            fail(message, permanent);
        }
    }

    @Override
    public void close() {
        loop.execute(this::beginClosing);
    }

    @Override
    public void retire() {
        loop.execute(this::beginRetiring);
    }

    private void open(SessionPlan ready, Channel channel) {
        state = new Opening(channel);
        acceptor =
                new StreamAcceptor(streams, loop, ready.connector(), ready.client(), answer -> send(channel, answer));
        channel.pipeline().addLast(HANDLER, new ControlHandler(this));
        channel.config().setAutoRead(true);
        send(
                channel,
                new Message.OpenControlChannelRequest(ready.client(), Liveness.request(timings.heartbeatMillis())));
        arm(timings.answer(), () -> fail(CONNECT + noAnswer(timings.answer()), false));
    }

    /** A message of the control channel. */
    void received(Message message) {
        switch (state) {
            case Opening opening -> opening(opening, message);
            case Creating creating -> creating(creating, message);
            case Online online -> online(online, message);
            case Closing closing -> closing(closing, message);
            case Connecting _, Ended _ -> log.atTrace().log("Message outside of a session");
        }
    }

    /** The control channel is of no use any more. */
    void lost(String cause) {
        switch (state) {
            case Opening _ -> fail(CONNECT + cause, false);
            case Creating _ -> fail(CREATE + cause, false);
            case Online _ -> fail("control channel closed: " + cause, false);
            case Closing closing -> lostWhileClosing(closing);
            case Connecting _, Ended _ -> log.atTrace().log("The channel of an ended session is gone");
        }
    }

    private void opening(Opening opening, Message message) {
        switch (message) {
            case Message.OpenControlChannelAccepted accepted -> create(opening.channel(), accepted);
            case Message.OpenControlChannelRefused refused -> refused(CONNECT, refused.error());
            default -> fail(CONNECT + "the engine answered with something else than a response", false);
        }
    }

    private void create(Channel channel, Message.OpenControlChannelAccepted accepted) {
        try {
            channel.pipeline()
                    .addBefore(
                            HANDLER,
                            "rstream-heartbeats",
                            Heartbeats.client(timings.heartbeatMillis(), accepted.liveness()));
        } catch (LivenessException e) {
            fail(CONNECT + e.getMessage(), false);
            return;
        }
        String requestId = UUID.randomUUID().toString();
        state = new Creating(channel, requestId);
        name.on(log.atDebug()).addKeyValue("session", accepted.clientId()).log("Control channel open");
        send(channel, new Message.OpenTunnelRequest(requestId, plan().wanted()));
        arm(timings.answer(), () -> fail(CREATE + noAnswer(timings.answer()), false));
    }

    private void creating(Creating creating, Message message) {
        switch (message) {
            case Message.OpenTunnelAccepted accepted
            when accepted.requestId().equals(creating.requestId()) ->
                created(creating.channel(), accepted.properties());
            case Message.OpenTunnelRefused refused
            when refused.requestId().equals(creating.requestId()) -> refused(CREATE, refused.error());
            case Message.ProxyConnectionRequest request -> stream(request, null);
            default -> other(message);
        }
    }

    private void created(Channel channel, TunnelProperties tunnel) {
        String id = tunnel.id();
        if (id == null || id.isBlank()) {
            fail(CREATE + "engine did not return a tunnel ID", false);
            return;
        }
        if (TunnelType.DATAGRAM.wireName().equals(tunnel.type())) {
            fail(CREATE + "the engine opened a datagram tunnel, which this agent does not support yet", true);
            return;
        }
        String address;
        try {
            address = ForwardingAddress.of(tunnel);
        } catch (IllegalArgumentException e) {
            fail("read forwarding address: " + e.getMessage(), false);
            return;
        }
        disarm();
        state = new Online(channel, id);
        listener.online(new OnlineTunnel(id, address));
    }

    private void online(Online online, Message message) {
        switch (message) {
            case Message.ProxyConnectionRequest request -> stream(request, online.tunnelId());
            case Message.CloseTunnelResponse closed
            when closed.tunnelId().equals(online.tunnelId()) -> fail("the engine closed the tunnel", false);
            default -> other(message);
        }
    }

    private void stream(Message.ProxyConnectionRequest request, @Nullable String tunnelId) {
        StreamAcceptor streamAcceptor = acceptor;
        if (request.streamId().isEmpty()) {
            fail("control channel closed: the engine asked for a stream without a stream id", false);
        } else if (streamAcceptor != null && request.tunnelId().equals(tunnelId)) {
            streamAcceptor.accept(request);
        } else if (streamAcceptor != null) {
            streamAcceptor.refuse(request, "proxy connection references an unknown tunnel");
        }
    }

    /** What an open channel may carry in every state; what is not known is ignored (section 10.7). */
    private void other(Message message) {
        if (message instanceof Message.CloseControlChannelResponse) {
            fail("the engine closed the control channel", false);
        } else {
            name.on(log.atDebug()).addKeyValue("message", message.kind()).log("Message ignored");
        }
    }

    private void beginClosing() {
        switch (state) {
            case Connecting _ -> drain(null);
            case Opening opening -> drain(opening.channel());
            case Creating creating -> drain(creating.channel());
            case Online online -> closeTunnel(online);
            case Closing _, Ended _ -> log.atTrace().log("The session is ending already");
        }
    }

    private void beginRetiring() {
        switch (state) {
            case Connecting _, Opening _, Creating _ -> finish(new SessionEnd.Closed());
            case Online online -> {
                retiring = true;
                closeTunnel(online);
            }
            case Closing _, Ended _ -> log.atTrace().log("The session is ending already");
        }
    }

    private void closeTunnel(Online online) {
        state = new Closing(online.channel(), Step.TUNNEL);
        refuseStreams(leaving());
        send(online.channel(), new Message.CloseTunnelRequest(online.tunnelId()));
        arm(timings.close(), () -> drain(online.channel()));
    }

    private void drain(@Nullable Channel channel) {
        disarm();
        state = new Closing(channel, Step.STREAMS);
        StreamAcceptor own = acceptor;
        if (retiring && own != null) {
            // What is left after that goes on without the control channel; streams do not need it.
            arm(timings.drain(), this::leaveStreams);
            own.idle().addListener(_ -> leaveStreams());
            return;
        }
        streams.active().drain(loop, timings.drain()).addListener((Future<Integer> drained) -> {
            if (drained.getNow() > 0) {
                name.on(log.atWarn()).addKeyValue("streams", drained.getNow()).log("Open streams were cut");
            }
            closeControl();
        });
    }

    private void leaveStreams() {
        if (state instanceof Closing(Channel _, Step step) && step == Step.STREAMS) {
            closeControl();
        }
    }

    private String leaving() {
        return retiring ? "the session is replaced by another one of the agent" : "the agent is shutting down";
    }

    private void closeControl() {
        if (!(state instanceof Closing(Channel channel, Step _)) || channel == null) {
            finish(new SessionEnd.Closed());
            return;
        }
        state = new Closing(channel, Step.CONTROL);
        send(channel, new Message.CloseControlChannelRequest());
        arm(timings.close(), () -> finish(new SessionEnd.Closed()));
    }

    private void closing(Closing closing, Message message) {
        Channel channel = closing.channel();
        switch (message) {
            case Message.CloseTunnelResponse _ when closing.step() == Step.TUNNEL -> drain(channel);
            case Message.CloseControlChannelResponse _
            when closing.step() == Step.CONTROL -> finish(new SessionEnd.Closed());
            case Message.CloseControlChannelResponse _ -> lostWhileClosing(closing);
            case Message.ProxyConnectionRequest request when acceptor != null -> acceptor.refuse(request, leaving());
            default -> log.atTrace().log("Message while closing");
        }
    }

    private void lostWhileClosing(Closing closing) {
        switch (closing.step()) {
            case TUNNEL -> drain(null);
            case STREAMS -> state = new Closing(null, Step.STREAMS);
            case CONTROL -> finish(new SessionEnd.Closed());
        }
        closeChannel(closing.channel());
    }

    private void refused(String activity, WireError error) {
        finish(new SessionEnd.Failed(activity + error.describe(), FailureKind.of(error)));
    }

    private void fail(String message, boolean permanent) {
        finish(new SessionEnd.Failed(message, permanent));
    }

    private void finish(SessionEnd end) {
        if (state instanceof Ended) {
            return;
        }
        Channel channel = channel();
        state = new Ended();
        disarm();
        refuseStreams("the control channel is closed");
        closeChannel(channel);
        listener.ended(end);
    }

    private @Nullable Channel channel() {
        return switch (state) {
            case Opening opening -> opening.channel();
            case Creating creating -> creating.channel();
            case Online online -> online.channel();
            case Closing closing -> closing.channel();
            case Connecting _, Ended _ -> null;
        };
    }

    private void refuseStreams(String reason) {
        if (acceptor != null) {
            acceptor.close(reason);
        }
    }

    private SessionPlan plan() {
        if (plan == null) {
            throw new IllegalStateException("a session has its plan before it has a channel");
        }
        return plan;
    }

    private void arm(Duration limit, Runnable action) {
        disarm();
        deadline = loop.schedule(action, limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void disarm() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    private static String noAnswer(Duration limit) {
        return "the engine did not answer within " + Durations.format(limit);
    }

    private static void send(Channel channel, Message message) {
        var _ = channel.writeAndFlush(message, channel.voidPromise());
    }

    private static void closeChannel(@Nullable Channel channel) {
        if (channel != null) {
            var _ = channel.close();
        }
    }
}
