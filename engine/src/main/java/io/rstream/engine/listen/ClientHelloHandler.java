package io.rstream.engine.listen;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Looks at the ClientHello: what the client offers to speak decides which TLS it gets. */
final class ClientHelloHandler extends SslClientHelloHandler<SslContext> {
    private static final int LONGEST_HELLO = 65_536;
    static final String TLS = "tls";

    private final Certificates certificates;
    private final Duration handshakeLimit;

    ClientHelloHandler(Certificates certificates, Duration handshakeLimit) {
        super(LONGEST_HELLO);
        this.certificates = certificates;
        this.handshakeLimit = handshakeLimit;
    }

    @Override
    protected Future<SslContext> lookup(ChannelHandlerContext ctx, @Nullable ByteBuf hello) {
        List<String> alpnNames = hello == null ? List.of() : ClientHello.alpnNames(hello);
        return ctx.executor().newSucceededFuture(certificates.forClient(alpnNames));
    }

    @Override
    protected void onLookupComplete(ChannelHandlerContext ctx, Future<SslContext> context) {
        SslHandler tls = context.getNow().newHandler(ctx.alloc());
        tls.setHandshakeTimeout(handshakeLimit.toNanos(), TimeUnit.NANOSECONDS);
        ctx.pipeline().replace(this, TLS, tls);
    }
}
