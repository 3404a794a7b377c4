package io.rstream.engine.streams;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ReferenceCountUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a connection that is refused: swallows what else arrives while the refusal is on its way, and closes at the
 * first error with one line, so that a peer cannot fill the log.
 */
public final class LastHandler extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(LastHandler.class);
    private boolean failed;

    private LastHandler() {}

    /** Appends it. */
    public static void install(ChannelPipeline pipeline) {
        pipeline.addLast("last", new LastHandler());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!failed) {
            failed = true;
            log.atDebug()
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .addKeyValue("reason", String.valueOf(cause.getMessage()))
                    .log("Refused connection broke");
            var _ = ctx.close();
        }
    }
}
