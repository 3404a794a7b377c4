package io.rstream.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.rstream.protocol.ByteRelay;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.Liveness;
import io.rstream.protocol.Message;
import io.rstream.protocol.Message.OpenControlChannelAccepted;
import io.rstream.protocol.Message.OpenControlChannelRequest;
import io.rstream.protocol.Message.OpenTunnelAccepted;
import io.rstream.protocol.Message.OpenTunnelRequest;
import io.rstream.protocol.Message.ProxyConnectionRequest;
import io.rstream.protocol.Message.ProxyConnectionResponse;
import io.rstream.protocol.Message.ProxyRequest;
import io.rstream.protocol.Message.ProxyResponse;
import io.rstream.protocol.TunnelProperties;
import io.rstream.protocol.WireError;
import io.rstream.protocol.WirePipeline;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A small agent: one control channel, calls back by hand or for a local port. */
public final class TestAgent implements AutoCloseable {
    public final WireClient control;
    public final OpenControlChannelAccepted accepted;
    /** How often it called back for a local port. */
    public final AtomicInteger streams = new AtomicInteger();

    private final EngineFixture engine;
    private final BlockingQueue<ProxyConnectionRequest> requests = new LinkedBlockingQueue<>();
    private final BlockingQueue<Object> answers = new LinkedBlockingQueue<>();
    private volatile int localPort;

    private TestAgent(EngineFixture engine, WireClient control, OpenControlChannelAccepted accepted) {
        this.engine = engine;
        this.control = control;
        this.accepted = accepted;
        Thread.ofVirtual().name("test-agent").start(this::dispatch);
    }

    public static TestAgent connect(EngineFixture engine) {
        return connect(engine, EngineFixture.token(), null);
    }

    public static TestAgent connect(EngineFixture engine, String token, Liveness liveness) {
        WireClient control = WireClient.connect(engine);
        control.send(new OpenControlChannelRequest(details(token), liveness));
        return new TestAgent(engine, control, control.take(OpenControlChannelAccepted.class));
    }

    public static ClientDetails details(String token) {
        return new ClientDetails("test-agent", "dev", "1", "linux", "amd64", token, "1.4.5");
    }

    /** Answers every further stream request with a connection to this port. */
    public TestAgent serve(int port) {
        localPort = port;
        return this;
    }

    public TunnelProperties open(TunnelProperties.Builder properties) {
        Object answer = request(properties);
        assertThat(answer).isInstanceOf(OpenTunnelAccepted.class);
        return ((OpenTunnelAccepted) answer).properties();
    }

    public TunnelProperties openHttp(String hostname) {
        return open(TunnelProperties.builder().protocol("http").hostname(hostname));
    }

    /** The answer to a request for a tunnel. */
    public Object request(TunnelProperties.Builder properties) {
        control.send(new OpenTunnelRequest(UUID.randomUUID().toString(), properties.build()));
        return answer();
    }

    /** As {@link #openHttp}, while acknowledgements of heartbeats come in between. */
    public void openHttpAmongHeartbeats(String hostname) {
        Object answer = request(TunnelProperties.builder().protocol("http").hostname(hostname));
        while (answer instanceof Message.Heartbeat) {
            answer = answer();
        }
        assertThat(answer).isInstanceOf(OpenTunnelAccepted.class);
    }

    /** The next message that is not a request for a stream. */
    public Object answer() {
        return poll(answers);
    }

    public boolean hasNoAnswer() {
        return answers.isEmpty();
    }

    public ProxyConnectionRequest streamRequest() {
        return poll(requests);
    }

    /** Calls back with the right secret and no answer wanted; the result is raw. */
    public WireClient callBack(ProxyConnectionRequest request) {
        return callBack(request, request.secret(), true);
    }

    /** Calls back; without an answer the result is raw at once, else after it. */
    public WireClient callBack(ProxyConnectionRequest request, String secret, boolean zeroRtt) {
        WireClient back = WireClient.connect(engine);
        ProxyRequest message = new ProxyRequest(details(secret), request.streamId(), zeroRtt);
        return zeroRtt
                ? back.sendThenRaw(message, "")
                : back.rawAfter(ProxyResponse.class).send(message);
    }

    public void refuse(ProxyConnectionRequest request, String reason) {
        control.send(new ProxyConnectionResponse(request.streamId(), new WireError(6000, reason)));
    }

    @Override
    public void close() {
        control.close();
    }

    private void dispatch() {
        while (true) {
            Object next;
            try {
                next = control.take();
            } catch (AssertionError quiet) {
                continue;
            }
            if (!(next instanceof ProxyConnectionRequest request)) {
                answers.add(next);
                if (next.equals(WireClient.CLOSED)) {
                    return;
                }
            } else if (localPort == 0) {
                requests.add(request);
            } else {
                streams.incrementAndGet();
                Thread.ofVirtual().start(() -> join(request));
            }
        }
    }

    private void join(ProxyConnectionRequest request) {
        Channel service;
        try {
            service = new Bootstrap()
                    .group(WireClient.LOOPS)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.AUTO_READ, false)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect("127.0.0.1", localPort)
                    .sync()
                    .channel();
        } catch (Exception e) {
            refuse(request, "service refused");
            return;
        }
        WireClient back = WireClient.connect(engine);
        back.channel
                .eventLoop()
                .submit(() -> {
                    back.channel.config().setAutoRead(false);
                    back.channel.pipeline().remove("test");
                    var _ = back.channel.writeAndFlush(
                            new ProxyRequest(details(request.secret()), request.streamId(), true));
                    WirePipeline.hold(back.channel.pipeline());
                })
                .syncUninterruptibly();
        var _ = ByteRelay.join(back.channel, service);
        var _ = control.channel.writeAndFlush((Message) new ProxyConnectionResponse(request.streamId(), null));
    }

    private static <T> T poll(BlockingQueue<T> queue) {
        try {
            T next = queue.poll(20, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("nothing arrived in time");
            }
            return next;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
