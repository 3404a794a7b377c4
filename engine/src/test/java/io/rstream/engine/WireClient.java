package io.rstream.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rstream.protocol.CertificateFiles;
import io.rstream.protocol.HalfClose;
import io.rstream.protocol.Message;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.Trust;
import io.rstream.protocol.WirePipeline;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A connection of the native protocol under the control of a test: messages first, raw bytes later. */
public final class WireClient implements AutoCloseable {
    /** The peer ended its output in order. */
    public static final Object END = "END";
    /** The connection is closed. */
    public static final Object CLOSED = "CLOSED";

    public static final EventLoopGroup LOOPS = new MultiThreadIoEventLoopGroup(
            2, new DefaultThreadFactory("test-client", true), NioIoHandler.newFactory());
    private static final int PATIENCE_SECONDS = 20;

    public final Channel channel;
    private final BlockingQueue<Object> received;
    private final Inbound inbound;

    private WireClient(Channel channel, Inbound inbound) {
        this.channel = channel;
        this.inbound = inbound;
        this.received = inbound.received;
    }

    public static WireClient connect(EngineFixture engine) {
        return connect(engine, null);
    }

    public static WireClient connect(EngineFixture engine, CertificateFiles identity) {
        try {
            SslContext tls = TransportSecurity.client(
                    new Trust.Bundle(engine.caFile()),
                    identity,
                    List.of(TransportSecurity.ALPN_RSTREAM),
                    TlsVersion.TLS_1_3);
            Inbound inbound = new Inbound();
            Channel channel = new Bootstrap()
                    .group(LOOPS)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline()
                                    .addLast(TransportSecurity.clientHandler(
                                            tls, channel.alloc(), "edge.localhost", engine.port()));
                            WirePipeline.install(channel.pipeline());
                            channel.pipeline().addLast("test", inbound);
                        }
                    })
                    .connect("127.0.0.1", engine.port())
                    .sync()
                    .channel();
            return new WireClient(channel, inbound);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public WireClient send(Message message) {
        channel.writeAndFlush(message).syncUninterruptibly();
        return this;
    }

    public WireClient write(String text) {
        return write(text.getBytes(StandardCharsets.UTF_8));
    }

    public WireClient write(byte[] bytes) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes)).syncUninterruptibly();
        return this;
    }

    /** The message, then raw bytes; those given go in the same flush. */
    public WireClient sendThenRaw(Message message, String text) {
        channel.eventLoop()
                .submit(() -> {
                    var _ = channel.write(message);
                    WirePipeline.remove(channel.pipeline());
                    var _ = channel.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
                })
                .syncUninterruptibly();
        return this;
    }

    /** After the next message of this kind bytes are raw; to be called before it can arrive. */
    public WireClient rawAfter(Class<? extends Message> kind) {
        inbound.rawAfter = kind;
        return this;
    }

    public Object take() {
        try {
            Object next = received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("nothing arrived within " + PATIENCE_SECONDS + " s");
            }
            return next;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public <T> T take(Class<T> kind) {
        Object next = take();
        assertThat(next).isInstanceOf(kind);
        return kind.cast(next);
    }

    /** Exactly this many raw bytes as text. */
    public String readText(int length) {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(new String(take(byte[].class), StandardCharsets.UTF_8));
        }
        return text.toString();
    }

    /** Nothing but the end of the connection comes any more. */
    public void awaitClosed() {
        for (Object next = take(); !next.equals(CLOSED); next = take()) {
            assertThat(next).isEqualTo(END);
            var _ = channel.close();
        }
    }

    public boolean isQuiet() {
        return received.isEmpty();
    }

    public WireClient shutdownOutput() {
        HalfClose.shutdownOutput(channel).syncUninterruptibly();
        return this;
    }

    /** Closes without a word, as the kernel does for a killed process. */
    public void kill() {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.pipeline().firstContext().close().syncUninterruptibly();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
    }

    private static final class Inbound extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
        private volatile Class<? extends Message> rawAfter;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof ByteBuf bytes) {
                received.add(ByteBufUtil.getBytes(bytes));
                bytes.release();
                return;
            }
            received.add(message);
            if (rawAfter != null && rawAfter.isInstance(message)) {
                rawAfter = null;
                WirePipeline.remove(ctx.pipeline());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (HalfClose.inputEnd(ctx.channel(), event) != HalfClose.InputEnd.OPEN) {
                received.add(END);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            received.add(CLOSED);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }
}
